import { downloadGuarded, PostFailure } from '../../platform/outbound/guarded-post.js';
import { type FileSource, type ListedFile, type SourceLimits, unreachable } from './source.js';

interface UrlAccess {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** One file, whose content decides whether it is a new one. */
export function urlSource({ url: text, authorization }: UrlAccess, limits: SourceLimits): FileSource {
  const url = new URL(text);
  const headers: Record<string, string> = authorization === undefined ? {} : { Authorization: authorization };
  const file: ListedFile = { name: readName(url), version: null, bytes: null, modifiedAt: null };
  return {
    hostKey: null,
    list: async () => [file],
    read: async (_file, maxBytes) => {
      const { status, bytes } = await download(url, headers, { ...limits, maxResponseBytes: maxBytes });
      if (status !== 200) throw unreachable(`the server responded with status ${status}`);
      if (/^\s*<(!doctype|html)/i.test(bytes.subarray(0, 200).toString('latin1')))
        throw unreachable('the URL returns a page and no CSV file');
      return bytes;
    },
  };
}

/** The last part of the path, or the host. */
function readName(url: URL): string {
  const last = url.pathname.split('/').findLast((part) => part !== '');
  return (last ?? url.hostname).slice(0, 200);
}

/** The download; a failure that says why there is no response. */
export async function download(...request: Parameters<typeof downloadGuarded>) {
  try {
    return await downloadGuarded(...request);
  } catch (error) {
    if (error instanceof PostFailure) throw unreachable(error.message);
    throw error;
  }
}
