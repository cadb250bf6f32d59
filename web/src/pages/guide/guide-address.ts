/** `/guide/cards#share` as the router has it. */
export function guideAddress(url: string): { to: '/guide/$page'; params: { page: string }; hash: string } {
  const [path = '', hash = ''] = url.split('#', 2)
  return { to: '/guide/$page', params: { page: path.replace(/^\/guide\//, '') }, hash }
}
