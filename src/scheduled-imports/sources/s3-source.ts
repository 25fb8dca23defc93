import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';
import { withoutEndSlashes } from '../../kernel/end-slashes.js';
import {
  type FileSource,
  inOrder,
  isCsv,
  type ListedFile,
  maxListedFiles,
  type SourceLimits,
  unreachable,
} from './source.js';
import { download } from './url-source.js';

interface S3Access {
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  readonly folder: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const parser = new XMLParser({ parseTagValue: false, isArray: (name) => name === 'Contents' });
/** A page has at most 1,000 objects with names of at most 1,024 characters. */
const maxPageBytes = 2 * 1024 * 1024;
/** Twice as many as {@link maxListedFiles} need. */
const maxPages = 20;

const page = z.object({
  ListBucketResult: z.object({
    Contents: z
      .array(
        z.object({
          Key: z.string(),
          LastModified: z.string().max(40),
          ETag: z.string().max(200),
          Size: z.string().regex(/^\d{1,15}$/),
        }),
      )
      .default([]),
    NextContinuationToken: z.string().optional(),
  }),
});

/** The objects below a folder. Requests are signed here and sent as every request to an address of a customer. */
export function s3Source(access: S3Access, limits: SourceLimits): FileSource {
  const { endpoint = `https://s3.${access.region}.amazonaws.com`, bucket, folder } = access;
  const base = `${withoutEndSlashes(endpoint)}/${bucket}`;
  const prefix = withoutEndSlashes(folder).replace(/^\/+/, '');
  const read = (url: string, maxBytes: number) =>
    readSigned(new URL(url), access, { ...limits, maxResponseBytes: maxBytes });
  return {
    hostKey: null,
    list: async () => {
      const files: ListedFile[] = [];
      let token: string | undefined;
      for (let pages = 0; pages === 0 || token !== undefined; pages += 1) {
        if (pages === maxPages) throw unreachable(`the list has more than ${maxPages} pages`);
        const query = new URLSearchParams({
          'list-type': '2',
          delimiter: '/',
          prefix: prefix === '' ? '' : `${prefix}/`,
        });
        if (token !== undefined) query.set('continuation-token', token);
        const listed = readPage(await read(`${base}?${query}`, maxPageBytes));
        files.push(...listed.files);
        if (files.length > maxListedFiles) throw unreachable(`the folder has more than ${maxListedFiles} files`);
        token = listed.next;
      }
      return inOrder(files.filter(({ name }) => isCsv(name)));
    },
    read: ({ name }, maxBytes) => read(`${base}/${name.split('/').map(encodeURIComponent).join('/')}`, maxBytes),
  };
}

function readPage(xml: Buffer): { readonly files: readonly ListedFile[]; readonly next: string | undefined } {
  const parsed = page.safeParse(parse(xml));
  if (!parsed.success) throw unreachable('the response is not the list of a bucket');
  const { Contents: contents, NextContinuationToken: next } = parsed.data.ListBucketResult;
  const files = contents.map(({ Key: name, LastModified: modifiedAt, ETag: etag, Size: size }) => ({
    name,
    modifiedAt,
    version: etag.replaceAll('"', ''),
    bytes: Number(size),
  }));
  return { files, next };
}

/** Null for what is no XML: the parser throws errors of several kinds. */
function parse(xml: Buffer): unknown {
  try {
    return parser.parse(xml.toString('utf8'));
  } catch {
    return null;
  }
}

async function readSigned(
  url: URL,
  { region, accessKeyId, secretAccessKey }: S3Access,
  limits: Parameters<typeof download>[2],
): Promise<Buffer> {
  const signer = new AwsV4Signer({ url: url.href, service: 's3', region, accessKeyId, secretAccessKey });
  const { url: signed, headers } = await signer.sign();
  const { status, bytes } = await download(signed, Object.fromEntries(headers), limits);
  if (status === 200) return bytes;
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(bytes.toString('utf8', 0, 2000))?.[1];
  throw unreachable(`the store responded with status ${status}${code === undefined ? '' : ` (${code})`}`);
}
