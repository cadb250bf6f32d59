import { interpret } from './token-terms.ts'

/**
 * English words that every subject uses. They may be rare in a vault, and two texts that share them alone are about different
 * things all the same. They are found like any other word; only how sure a hit is depends on them less.
 */
const COMMON_WORDS = `able accept accord achieve act action actual add addition additional affect age agree aim allow almost alone
  already alternative although always among amount analyse analysis analyze another answer appear apply approach
  appropriate approximate area arise around arrange ask aspect assign assume attempt available average avoid aware
  away back bad basis bear become begin behave behavior behaviour believe benefit best better beyond big bit
  bottom bring broad call care carry case catch cause certain chance change characteristic check choice choose
  clean clear clearly collect combination combine come comment common compare comparison complete completely
  complex compute concern conclude conclusion condition conduct consider consist contain content continue contrast
  contribute correct correctly cost course cover create critical current currently cut daily date day deal decide
  decision decrease deep define definition degree demand demonstrate depend derive describe description design
  desire detail determine develop development differ difference different difficult directly discuss distribute
  divide down draw due during each early easily easy effect effective effectively either else employ empty enable
  end enough ensure enter entire equal error especially establish estimate evaluate even eventually every
  everything evidence exact exactly examine example except exceed exist existing expect expected experience
  experimental explain explore express extend extent external extra extract face facilitate fact factor fail
  failure fall far fast feature feel few field figure fill final finally find fine finish first fit fix focus
  follow following force form former forward found four free frequent frequently full fully future gain general
  generally generate give given global go goal good great group grow guide half handle happen hard hear help high
  higher highly hold home hour however idea identical identify illustrate immediate immediately impact important
  improve include increase indeed independent indicate individual induce influence inform information initial
  inside instance instead interact interaction interest internal introduce investigate investigation involve issue
  job join keep kind know knowledge known lack large largely last late later lead learn least leave left less
  level life like likely limit limited line little live locate location long longer look lose lot low lower main
  mainly maintain major make manage manner manual many match material matter maximum may mean meaning means
  measure measurement mechanism meet mention middle might mind minimum minute miss missing mix modern modify
  moment month mostly movement much multiple must name nature near nearly necessary need never new newly next
  night non none normally note nothing notice novel now number numerous objective observe obtain obvious occur
  occurrence offer often old one operate operation opposite option order ordinary organization origin original
  otherwise outcome outside overall pair paper part partial participant particular particularly partly party pass
  past pattern pay people percent perform performance perhaps period permanent permit person personal physical
  pick picture piece place plan play plus point poor popular portion position positive possible possibly post
  potential potentially practical practice precise predict prefer prepare presence present press prevent previous
  previously primarily primary principle prior probably problem procedure proceed process produce product progress
  promote proper properly property proportion propose protect prove provide publish pull purpose push put quality
  quantity question quick quickly quite raise range rapid rapidly rare rarely rate rather raw reach ready real
  reality realize really reason reasonable receive recent recently recognize recommend recover reduce reduction
  refer reference regard region regular relate related relation relationship relative relatively release relevant
  remain repeat replace reply report represent require required requirement research respect respectively respond
  rest restrict result reveal right rise role round rule safe save say scope second section see seem select
  selection self sell send sense separate series serious serve set several severe share sharp short show side
  significance significant significantly similar similarly simple simply since single situation six skip slow
  slowly small smaller solution solve something sometimes somewhere soon sort source speak special specific
  specifically specify spend spread stage start state statement status stay steady step still stop story straight
  strategy strict strong strongly study style subsequent substance success successful successfully sudden suffer
  sufficient suggest suitable summary supply suppose sure surprise survive systematic take talk teach tell ten
  tend term thank therefore thing think third though thought three throughout throw thus tight time tiny together
  top topic total touch toward towards track traditional travel trend trouble try turn two type typical typically
  ultimate unable undergo understand understanding unexpected unique unknown unless unlike upon usage useful usual
  usually utility valid variation variety various visible visit wait walk want watch way weak week well whatever
  whenever whereas white whole widely win wish within without word work worker world worse worst worth wrong year
  yes yet young`

let stems: ReadonlySet<string> | undefined

/** Whether a term of the index is one of these words. Made when it is first asked: that is a twentieth of a server's start. */
export function isCommonStem(term: string): boolean {
  stems ??= new Set(COMMON_WORDS.split(/\s+/).flatMap((word) => interpret(word).terms))
  return stems.has(term)
}
