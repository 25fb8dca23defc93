import { Readable } from 'node:stream';
import { z } from 'zod';
import { type Caller } from '../../kernel/caller.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { Download, operation } from '../../platform/operations/operation.js';
import { wholeNumber } from '../../platform/operations/schemas.js';
import { listSealedEntries, sealedLine } from '../sealed-entries.js';

const pageSize = 1000;
const query = z.strictObject({
  after: wholeNumber(0, 999_999_999_999).default(0).describe('Only entries after this position; 0 for all'),
  limit: wholeNumber(1, 100_000).default(10_000).describe('Max number of entries, 1 to 100000'),
});

/** Reads page by page while the client reads. */
async function* lines(caller: Caller, after: number, limit: number, unitOfWork: UnitOfWork): AsyncGenerator<Buffer> {
  let position = after;
  for (let left = limit; left > 0; ) {
    const next = Math.min(left, pageSize);
    const page = await unitOfWork.read(caller, (tx) => listSealedEntries(tx, String(position), next));
    if (page.length > 0) yield Buffer.from(page.map(sealedLine).join(''));
    if (page.length < pageSize) return;
    left -= page.length;
    position = Number(page.at(-1)?.position);
  }
}

export const exportAuditLog = operation({
  id: 'exportAuditLog',
  summary:
    'Export what people and keys did as NDJSON: one entry of the hash chain per line, with the rows before and after; entries appear within seconds',
  method: 'get',
  path: '/v1/workspaces/audit-logs/export.ndjson',
  access: 'admin',
  stepUp: 'always',
  scope: 'read',
  query,
  response: z.string(),
  files: ['application/x-ndjson'],
  failures: {},
  example: { query: { after: '0' } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { after, limit } }, caller, { unitOfWork }): Promise<Download> {
    const stream = Readable.from(lines(caller, after, limit, unitOfWork), { objectMode: false });
    return new Download('application/x-ndjson', 'audit-log.ndjson', stream);
  },
});
