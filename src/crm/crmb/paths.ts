/** Versions that are dates follow the object type in the path; versions that are numbers precede it. */
export function crmbPath(version: string, kind: 'objects' | 'properties' | 'pipelines' | 'owners', tail = ''): string {
  return /^v\d/.test(version) ? `/crm/${version}/${kind}${tail}` : `/crm/${kind}/${version}${tail}`;
}
