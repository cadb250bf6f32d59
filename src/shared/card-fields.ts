/**
 * Defines what a card says, field by field, in the order of answers. Every place that reads or writes the
 * content of a card follows this definition. Browser and hook load it.
 */

export const CARD_TYPES = ['debug_fix', 'how_to', 'lesson_learned', 'decision', 'reference'] as const
export type CardType = (typeof CARD_TYPES)[number]

export type Step = { order: number; action: string; result: string; [key: string]: unknown }

/** The fields that an update can change and a version keeps. Evidence is separate: it can only be added. */
export type CardContent = {
  card_type: CardType
  title: string
  symptom: string
  fix_summary: string
  environment: Record<string, string>
  root_cause: string | null
  steps: Step[]
  tags: string[]
  card_payload: Record<string, unknown> | null
  body: string | null
  scope_notes: string | null
}

export type CardField = keyof CardContent

type Definition = {
  label: string
  /** The label where there is little room, if it is another one. */
  brief?: string
  /** How the column has it: as one of some words, as free text, or as JSON whose strings are free text. */
  stored: 'word' | 'text' | 'json'
  /** How many characters a text may have. */
  max: number | undefined
  /** The place among the fields that a reader or the index takes one after the other. */
  place: number
  /** `first`: in the texts that a reader sees before the steps. */
  part: 'head' | 'first' | 'more'
  /** A tool that reads a card may ask for this field alone. */
  isChoice: boolean
  /** In a list without room: cut, left out if it is long, or always left out (then it is `empty`). */
  short: 'whole' | 'begin' | 'small' | 'none'
  empty: '[]' | '{}' | null
  /** Which words of it are kept in the search index, and how much they weigh (search-index/document.ts). */
  index: 'main' | 'text' | 'minor' | 'none'
  weight: 1 | 2
  /** The place among the texts that explain a hit, after the title; 0: none of them. */
  explains: number
  /** Whether the cites of a card are read from it. */
  isCited: boolean
  /**
   * The first version of the format of `content_hash` that has it, or null. Other servers compute the hash, too:
   * a new field needs a new version.
   */
  hashedSince: 1 | null
}

const TEXT = {
  stored: 'text',
  max: 200_000,
  part: 'more',
  isChoice: true,
  short: 'begin',
  empty: null,
  index: 'text',
  weight: 1,
  isCited: false,
  hashedSince: 1,
} as const
const JSON_TEXTS = { ...TEXT, stored: 'json', max: undefined, short: 'none' } as const
const UNSEARCHED = { index: 'none', explains: 0 } as const

// biome-ignore format: one line for each field
export const DEFINITION = {
  card_type: { ...TEXT, ...UNSEARCHED, label: 'Type', stored: 'word', max: undefined, place: 0, part: 'head', isChoice: false, short: 'whole' },
  title: { ...TEXT, label: 'Title', max: 5000, place: 1, part: 'head', isChoice: false, index: 'main', weight: 2, explains: 0 },
  symptom: { ...TEXT, label: 'Symptom', place: 2, part: 'first', index: 'main', explains: 1 },
  fix_summary: { ...TEXT, label: 'Fix', place: 3, part: 'first', index: 'main', explains: 2, isCited: true },
  environment: { ...JSON_TEXTS, label: 'Environment', place: 6, isChoice: false, short: 'small', empty: '{}', explains: 7, isCited: true },
  root_cause: { ...TEXT, label: 'Root cause', brief: 'Cause', place: 4, part: 'first', explains: 3, isCited: true },
  steps: { ...JSON_TEXTS, label: 'Steps', place: 5, empty: '[]', explains: 4, isCited: true },
  tags: { ...JSON_TEXTS, label: 'Tags', place: 7, isChoice: false, short: 'small', empty: '[]', index: 'main', weight: 2, explains: 6, isCited: true },
  card_payload: { ...JSON_TEXTS, ...UNSEARCHED, label: 'Payload', place: 9 },
  body: { ...TEXT, label: 'Notes', place: 10, short: 'none', explains: 5, isCited: true },
  scope_notes: { ...TEXT, label: 'Where it applies', place: 8, isChoice: false, index: 'minor', explains: 8 },
} as const satisfies Record<CardField, Definition>

/** The fields in the order of answers. */
export const CARD_FIELDS = Object.keys(DEFINITION) as CardField[]

/** The fields in the order in which they are read. */
export const FIELDS_BY_PLACE = CARD_FIELDS.toSorted((a, b) => DEFINITION[a].place - DEFINITION[b].place)

/** The fields whose texts explain a hit, in their order. */
export const EXPLAINING_FIELDS = CARD_FIELDS.filter((field) => DEFINITION[field].explains > 0).toSorted(
  (a, b) => DEFINITION[a].explains - DEFINITION[b].explains,
)

type FieldWith<K extends keyof Definition, V> = {
  [F in CardField]: (typeof DEFINITION)[F] extends { [_ in K]: V } ? F : never
}[CardField]

/** Returns the fields with one of these values in their definition. */
const fieldsWith = <K extends keyof Definition, const V extends Definition[K]>(key: K, ...values: V[]) =>
  CARD_FIELDS.filter((field) => {
    const definition: Definition = DEFINITION[field]
    return values.some((value) => definition[key] === value)
  }) as FieldWith<K, V>[]

export const TEXT_FIELDS = fieldsWith('stored', 'text')
export const JSON_FIELDS = fieldsWith('stored', 'json')
export const FIRST_TEXTS = fieldsWith('part', 'first')
export const CITED_FIELDS = fieldsWith('isCited', true)
export const HASHED_FIELDS = fieldsWith('hashedSince', 1)

export type TextField = (typeof TEXT_FIELDS)[number]
export type JsonField = (typeof JSON_FIELDS)[number]
export const isText = (field: CardField): field is TextField => DEFINITION[field].stored === 'text'
export const isJson = (field: CardField): field is JsonField => DEFINITION[field].stored === 'json'

/** The fields that somebody writes: all but those with fixed words. */
export const WRITTEN_FIELDS = fieldsWith('stored', 'text', 'json')
export type WrittenField = (typeof WRITTEN_FIELDS)[number]
export const WRITTEN_COLUMNS = WRITTEN_FIELDS.map((field) => `cards.${field}` as const)
export const WORD_COLUMNS = fieldsWith('stored', 'word').map((field) => `cards.${field}` as const)

type Filter = { field: CardField; words: Record<string, readonly string[]> }

/**
 * The filters by fixed words: for each word, the values of a field that it lets through. Schemas, lists, the
 * search index and the web app follow them.
 */
const FILTERS = {
  track: {
    field: 'card_type',
    words: { debug: ['debug_fix'], build: CARD_TYPES.filter((type) => type !== 'debug_fix') },
  },
} as const satisfies Record<string, Filter>

export type FilterName = keyof typeof FILTERS
export type FilterWord<F extends FilterName = FilterName> = Extract<
  keyof (typeof FILTERS)[F]['words'],
  string
>
/** The words that somebody filters by. */
export type WordFilters = { [F in FilterName]?: FilterWord<F> | undefined }

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[]

const filterOf = (name: FilterName): Filter => FILTERS[name]

export const wordsOfFilter = <F extends FilterName>(name: F) =>
  Object.keys(FILTERS[name].words) as FilterWord<F>[]

/** Returns the fields that the filters look at, with the values that they let through. */
export const valuesFiltered = (filters: WordFilters) =>
  FILTER_NAMES.flatMap((name) => {
    const { field, words } = filterOf(name)
    const values = words[filters[name] ?? '']
    return values ? [{ field, values }] : []
  })

type FilteredFields = Pick<CardContent, (typeof FILTERS)[FilterName]['field']>

export const passesFilters = (card: FilteredFields, filters: WordFilters): boolean =>
  FILTER_NAMES.every((name) => {
    const word = filters[name]
    const value: string | null = card[FILTERS[name].field]
    return word === undefined || filterOf(name).words[word]?.includes(value ?? '')
  })

/** Returns the word of each filter that lets the card through. */
export const filterWordsOf = (card: FilteredFields): WordFilters =>
  Object.fromEntries(
    FILTER_NAMES.map((name) => [
      name,
      wordsOfFilter(name).find((word) => passesFilters(card, { [name]: word })),
    ]),
  )

/** The texts in Markdown, which may show pictures. */
export const MARKDOWN_FIELDS = TEXT_FIELDS.filter((field) => field !== 'title')

/** The content as the columns of a card have it. */
export type ContentColumns = {
  [F in CardField]: F extends JsonField
    ? null extends CardContent[F]
      ? string | null
      : string
    : CardContent[F]
}

/** Returns an object with some of the properties of another one. */
export const pick = <T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>

/** What publishing asks of the texts. The web app names the same numbers. */
export const REVIEW_LIMITS = {
  titleCharacters: 10,
  titleWords: 3,
  textCharacters: 40,
  textDistinctWords: 8,
  copyOverlap: 0.9,
} as const
