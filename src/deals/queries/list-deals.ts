import { inject, injectable } from 'tsyringe';
import { z } from 'zod';
import { type Caller, maySee } from '../../kernel/caller.js';
import { isDay } from '../../kernel/day.js';
import { Failure } from '../../kernel/failure.js';
import { isStorable } from '../../platform/database/columns.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { type Input, operation } from '../../platform/operation.js';
import { instant, uuid, wholeNumber } from '../../platform/schemas.js';
import { dealRecord } from '../deal.js';
import { listDeals as findDeals } from '../deal-views.js';

const midnight = z
  .string()
  .refine(isDay, 'must be an ISO 8601 instant or a day, YYYY-MM-DD')
  .transform((day) => `${day}T00:00:00Z`);

const query = z.strictObject({
  repId: uuid.optional(),
  stage: z.string().max(10_000).refine(isStorable, 'holds characters that cannot be stored').optional(),
  since: z.union([instant, midnight], 'must be an ISO 8601 instant or a day, YYYY-MM-DD').optional(),
  limit: wholeNumber(1, 500).default(100),
  offset: z
    .string()
    .regex(/^\d{1,13}$/, 'must be a whole number')
    .transform(Number)
    .refine((offset) => offset <= 1e12, 'must be at most 1,000,000,000,000')
    .default(0),
});

const response = z.object({ deals: z.array(dealRecord), count: z.int(), limit: z.int(), offset: z.int() });

@injectable()
export class ListDeals {
  constructor(@inject(UnitOfWork) private readonly unitOfWork: UnitOfWork) {}

  async execute(
    { query: { repId, stage, since, limit, offset } }: Input<unknown, z.infer<typeof query>>,
    caller: Caller,
  ) {
    const onlyRep = ownRep(caller, repId);
    const page = await this.unitOfWork.run(caller, 'stale reads', (trx) =>
      findDeals(trx, caller.workspaceId, { repId: onlyRep, stage, since }, { limit, offset }),
    );
    return { ...page, limit, offset };
  }
}

/** A rep sees their own deals; managers, admins and the CRM's widget see those of everyone. */
function ownRep(caller: Caller, repId: string | undefined): string | undefined {
  if (caller.standing !== 'rep') return repId;
  if (caller.repId === null || (repId !== undefined && !maySee(caller, repId))) {
    throw new Failure('forbidden', 'You may see your own deals only.');
  }
  return caller.repId;
}

export const listDeals = operation({
  id: 'listDeals',
  summary: 'Deals as they stand, the latest snapshot first',
  method: 'get',
  path: '/v1/deals',
  access: 'connection',
  query,
  response,
  failures: {},
  restsOn: ({ query: { repId } }, caller) => ownRep(caller, repId) ?? null,
  tool: {
    name: 'list_deals',
    title: 'List deals',
    hints: effects.reads,
    description: {
      purpose:
        'Deals as they stand now, changed last first: amount, stage, close date, owner and, in full detail, every field of the CRM.',
      useWhen:
        "you test a plan's conditions against real deals, look for deals without an owner (repId null), or need a dealId.",
      notFor:
        'what a deal paid and why (use get_commissions with dealId). Do not sum a page: compare its length with total first.',
      formats:
        'stage is matched exactly, as get_field_options spells it; since is a day or an instant, 2026-03-01 or 2026-03-01T08:00:00Z.',
      changes: 'nothing.',
    },
    arguments: {
      repId: 'Only deals of this rep (UUID of list_reps)',
      stage: 'Only deals in exactly this stage',
      since: 'Only deals that changed then or later: a day or an ISO 8601 instant',
    },
    list: 'deals',
    detail: { unlessAsked: 'summary', summaryOmits: ['deals.fields'] },
    says: ({ count }) => `Deals that match: ${count}.`,
  },
  handler: ListDeals,
});
