export type CrmbResource = 'objects' | 'properties' | 'pipelines' | 'owners';

/** Versions that are dates follow the kind of resource in the path; versions that are numbers precede it. */
export function crmbUrl(
  { apiBase, apiVersion }: { readonly apiBase: string; readonly apiVersion: string },
  kind: CrmbResource,
  tail: string,
): string {
  const path = /^v\d/.test(apiVersion) ? `${apiVersion}/${kind}` : `${kind}/${apiVersion}`;
  return `${apiBase}/crm/${path}${tail}`;
}
