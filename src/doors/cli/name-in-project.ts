import { isAbsolute, relative } from 'node:path'

/**
 * The relative path of a file inside the project; only the name of any other file. Nothing else about a person's
 * folders leaves the machine.
 */
export function nameInProject(file: string, folder: string | undefined): string {
  if (!isAbsolute(file)) return file
  const inside = folder === undefined ? '..' : relative(folder, file)
  const isOutside = inside.startsWith('..') || isAbsolute(inside)
  return (isOutside ? (file.split(/[\\/]/).at(-1) ?? file) : inside).replaceAll('\\', '/')
}
