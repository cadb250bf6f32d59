export {
  isAboutCard,
  NOTICE_KINDS,
  type NoticeDetails,
  type NoticeKind,
  noticeText,
  type Said,
} from './notice-kinds.ts'
export {
  NOTICES_KEPT_MS,
  noticeMailNow,
  tell,
  tellAgainAfter,
  tellByMail,
  tellOf,
  unreadSince,
  untell,
  untellAny,
} from './notices.ts'
