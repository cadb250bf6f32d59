/** Header values are ASCII; the Model Context Protocol wraps what is not. */
export const headerText = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
