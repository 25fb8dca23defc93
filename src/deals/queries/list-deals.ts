import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { type Caller, maySee, onlyRep, seesTeam, visibleReps } from '../../kernel/caller.js';
import { assertDayOrder } from '../../kernel/day-order.js';
import { Failure, invalid } from '../../kernel/failure.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { isStorable } from '../../platform/database/columns.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { day, flag, instant, text, uuid, wholeNumber } from '../../platform/operations/schemas.js';
import { dealExample, dealId, dealRecord, maxSlugLength } from '../deal.js';
import { listDeals as findDeals } from '../deal-views.js';

const midnight = day.transform((date) => `${date}T00:00:00Z`);

const query = z.strictObject({
  repId: uuid.optional().describe('Only deals of this rep (UUID)'),
  stage: z
    .string()
    .max(10_000)
    .refine(isStorable, 'contains characters that cannot be stored')
    .optional()
    .describe('Only deals in exactly this stage'),
  since: z
    .union([instant, midnight], 'must be an ISO 8601 instant or a day, YYYY-MM-DD')
    .optional()
    .describe('Only deals whose snapshot was stored at this time or later: an instant or a day'),
  query: text(200).optional().describe('Part of the name, of the id or of a text in `fields`, ignoring case'),
  field: text(maxSlugLength).optional().describe('Slug of a field in `fields`: only deals that have `value` in it'),
  value: text(1000).optional().describe('With `field`: the value, ignoring case'),
  scores: flag.default(true).describe('false: without the deals that are scores of reps'),
  closedFrom: day.optional().describe('First close date, YYYY-MM-DD'),
  closedTo: day.optional().describe('Last close date, YYYY-MM-DD'),
  isWon: flag.optional().describe('true: deals in a won stage; false: all others'),
  isClosed: flag.optional().describe('true: deals that are won or lost; false: open deals'),
  unowned: flag.optional().describe('true: deals that belong to no rep; false: deals that belong to one'),
  deleted: flag.default(false).describe('true: deleted deals instead of the others'),
  paid: flag.optional().describe('true: deals that earned any rep an amount other than 0; false: deals that did not'),
  fields: text(2000)
    .transform((names) => names.split(',').map((name) => name.trim()))
    .optional()
    .describe('Only these fields of the CRM in `fields`, as slugs separated by commas; all by default'),
  after: dealId
    .or(z.literal(''))
    .optional()
    .describe(
      'Stable pages: deals with larger ids, in the order of ids; empty for the first page, then the id of the last deal. A deal that changes between two pages is neither skipped nor listed twice',
    ),
  totals: flag.default(false).describe('true: also the sums of all deals that match, on every page'),
  limit: wholeNumber(1, 500).default(100).describe('Max number of deals on the page, 1 to 500'),
  offset: z
    .string()
    .regex(/^\d{1,13}$/, 'must be a whole number')
    .transform(Number)
    .refine((offset) => offset <= 1e12, 'must be at most 1,000,000,000,000')
    .default(0)
    .describe('Number of deals to skip'),
});

const response = z.object({
  deals: z.array(dealRecord).describe('The deals of the page'),
  totals: z
    .array(
      z
        .object({
          currency: z.string().describe('ISO 4217 code'),
          amount: z.number().describe('Sum of the amounts in this currency'),
          deals: z.int().describe('Number of deals with an amount in this currency'),
        })
        .describe('The sum of one currency'),
    )
    .optional()
    .describe(
      'With totals=true: sums of the deals that match, by currency, that of the workspace first. An amount without a currency is in that of the workspace',
    ),
  ...pageFields,
});

/** Owners of the listed deals; null for all deals, with or without an owner, which the CRM widget sees too. */
function visibleOwners(caller: Caller, repId: string | undefined): readonly string[] | null {
  if (caller.accessLevel === 'connection') return repId === undefined ? null : [repId];
  const isHidden = repId === undefined ? caller.repId === null && !seesTeam(caller) : !maySee(caller, repId);
  if (isHidden) throw new Failure('forbidden', 'You may see only your own deals.');
  return repId === undefined ? visibleReps(caller) : [repId];
}

const booleanSchema = () => ({ type: 'boolean' });
const textSchema = () => ({ type: 'string' });

/** The deal with the named fields only. */
function withFields<T extends { readonly fields: Readonly<Record<string, unknown>> }>(
  deal: T,
  names: readonly string[],
): T {
  return { ...deal, fields: Object.fromEntries(Object.entries(deal.fields).filter(([name]) => names.includes(name))) };
}

export const listDeals = operation({
  id: 'listDeals',
  summary: 'Deals, the latest snapshot first; deleted deals with deleted=true',
  method: 'get',
  path: '/v1/deals',
  access: 'connection',
  query,
  response,
  failures: {},
  cacheScope: ({ query: { repId } }, caller) => onlyRep(visibleOwners(caller, repId)),
  tool: {
    name: 'list_deals',
    title: 'List deals',
    hints: effects.reads,
    description: {
      purpose:
        'Current deals, latest change first: amount, stage, close date, owner and, in full detail, fields of the CRM.',
      useWhen: 'you need deals or a dealId.',
      notFor: 'what one paid (get_commissions).',
      formats: 'stage as get_field_options spells it; days YYYY-MM-DD.',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'This rep',
      stage: 'This stage',
      since: {
        description: 'Since a day or instant',
        schema: textSchema,
      },
      query: 'Part of name, id or a text field',
      field: { always: undefined },
      value: { always: undefined },
      scores: { always: undefined },
      closedFrom: 'First close date',
      closedTo: 'Last close date',
      isWon: { description: 'true: won; false: others', schema: booleanSchema },
      isClosed: { description: 'Won or lost; false: open', schema: booleanSchema },
      unowned: { description: 'Without a rep', schema: booleanSchema },
      deleted: { description: 'Deleted', schema: booleanSchema },
      paid: {
        description: 'true: paid; false: others',
        schema: booleanSchema,
      },
      after: { always: undefined },
      totals: { always: false },
      fields: { description: 'In full detail: these slugs', schema: textSchema },
    },
    list: 'deals',
    detail: { defaultForm: 'summary', summaryOmits: ['deals.fields'] },
    summary: ({ count }) => `Deals that match: ${count}.`,
  },
  example: {
    query: { repId: sampleIds.repId, stage: 'Won', limit: '100', offset: '0' },
    response: { deals: [dealExample], count: 1, limit: 100, offset: 0 },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute(
    { query: { repId, limit, offset, totals, fields: names, field: slug, value, ...filter } },
    caller,
    { unitOfWork },
  ) {
    assertDayOrder(['closedFrom', filter.closedFrom], ['closedTo', filter.closedTo]);
    if (filter.after !== undefined && offset > 0) throw invalid({ path: 'offset', message: 'is not used with after' });
    if ((slug === undefined) !== (value === undefined))
      throw invalid({
        path: slug === undefined ? 'field' : 'value',
        message: 'is required: field and value belong together',
      });
    const field = slug === undefined || value === undefined ? undefined : { slug, value };
    const repIds = visibleOwners(caller, repId);
    // A rep must not see whether a manager earned on the deal.
    const paidTo = caller.accessLevel === 'connection' ? null : visibleReps(caller);
    const page = await unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, (tx) =>
      findDeals(tx, { ...filter, field, repIds, paidTo }, { limit, offset, totals }),
    );
    const deals = names === undefined ? page.deals : page.deals.map((deal) => withFields(deal, names));
    return { ...page, deals, limit, offset };
  },
});
