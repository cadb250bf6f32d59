import { textsToRescan } from '../redaction/rescan.ts'

export const linksToRescan = textsToRescan('links of cards', 'card_links', 'link_id', ['why'])

export const mergesToRescan = textsToRescan('merged cards', 'card_merges', 'from_card_id', ['why'])
