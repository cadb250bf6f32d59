import { textsToRescan } from '../redaction/rescan.ts'

/** A notice keeps names as they were when it was sent. */
export const noticesToRescan = textsToRescan('notices', 'notices', 'notice_id', [], ['details'])
