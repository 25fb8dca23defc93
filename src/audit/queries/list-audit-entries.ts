import { sql } from 'kysely';
import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { cursorPage, instant, text } from '../../platform/operations/schemas.js';

const query = z.strictObject({
  actor: text(200).optional().describe('Only what this actor did, such as rep:<id>, api-key or key:<id>'),
  resource: text(200)
    .optional()
    .describe('Only entries with a changed row of this table, such as plans, or with this id'),
  action: text(100).optional().describe('Only calls of this operation, by its id, such as approveStatement'),
  from: instant.optional().describe('Only entries from this instant on, ISO 8601'),
  to: instant.optional().describe('Only entries before this instant, ISO 8601'),
  ...cursorPage('entries', 50),
});

const entry = z
  .looseObject({
    entryId: z.string().describe('Id of the entry (UUID)'),
    position: z.int().describe('Place in the hash chain of the workspace, from 1'),
    at: z.string().describe('When the call was made, instant in ISO 8601'),
    actor: z.string().describe('Who made the call'),
    operation: z.string().describe('Id of the operation'),
    requestId: z
      .string()
      .optional()
      .describe('Id of the request. A call that stores its parts one by one has an entry for each of them'),
    outcome: z.enum(['done', 'rejected']).describe('rejected: the caller may not make the call'),
    count: z
      .int()
      .optional()
      .describe('How often the same call was rejected again in the same minute; absent for single calls'),
    counts: z
      .record(z.string(), z.int())
      .optional()
      .describe(
        'What a call did with many deals, people or refunds: how many it created, changed, left unchanged, rejected, deleted and restored',
      ),
    totals: z
      .array(
        z
          .object({
            currency: z.string().describe('ISO 4217 code'),
            amount: z.string().describe('Exact sum of the amounts in this currency, as a decimal text'),
          })
          .describe('The sum of one currency'),
      )
      .optional()
      .describe('Control totals of an import of deals'),
    changes: z.array(z.unknown()).describe('The changed rows, before and after; rows of deals are left out'),
    moreChanges: z.int().optional().describe('Number of changed rows that the entry does not list'),
  })
  .describe('A call of a person or key, with all fields of the export');

export const listAuditEntries = operation({
  id: 'listAuditEntries',
  summary:
    'What people and keys did, newest first, with the rows before and after; entries appear within seconds. Engine runs are in GET /v1/workspaces/audit-logs',
  method: 'get',
  path: '/v1/audit',
  access: 'admin',
  query,
  response: z.object({
    entries: z.array(entry).describe('The entries of the page'),
    nextCursor: z.string().nullable().describe('Cursor of the next page; null on the last page'),
  }),
  failures: {},
  example: { query: { action: 'approveStatement', limit: '20' }, response: { entries: [], nextCursor: null } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { actor, resource, action, from, to, limit, cursor } }, caller, { unitOfWork }) {
    const only = (value: unknown, condition: ReturnType<typeof sql>) => (value === undefined ? sql`` : condition);
    const rows = await unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, async (tx) => {
      const found = await sql<{ position: string; content: Record<string, unknown> }>`
        select e.position, c.content from audit_entries e
        cross join lateral (select e.content::jsonb as content offset 0) c
        where e.workspace_id = ${caller.workspaceId} and e.position is not null
          ${only(cursor, sql`and e.position < ${cursor}`)}
          ${only(from, sql`and e.at >= ${from}::timestamptz`)} ${only(to, sql`and e.at < ${to}::timestamptz`)}
          ${only(actor, sql`and c.content ->> 'actor' = ${actor}`)}
          ${only(action, sql`and c.content ->> 'operation' = ${action}`)}
          ${only(
            resource,
            sql`and (jsonb_path_exists(c.content, '$.changes[*] ? (@.table == $of)', jsonb_build_object('of', ${resource}::text))
              or jsonb_path_exists(c.content, '$.changes[*].id.* ? (@ == $of)', jsonb_build_object('of', ${resource}::text))
              or jsonb_path_exists(c.content, '$.params.* ? (@ == $of)', jsonb_build_object('of', ${resource}::text)))`,
          )}
        order by e.position desc limit ${limit + 1}`.execute(tx.db);
      return found.rows;
    });
    const entries = rows
      .slice(0, limit)
      .map(({ position, content }) => ({ ...content, position: Number(position) }) as z.input<typeof entry>);
    return { entries, nextCursor: rows.length > limit ? (rows[limit - 1]?.position ?? null) : null };
  },
});
