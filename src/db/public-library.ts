/** The one system workspace: what is published without a target goes here. */
export const PUBLIC_LIBRARY_ID = '00000000-0000-7000-8000-000000000001'
export const PUBLIC_LIBRARY_NAME = 'Public Library'
