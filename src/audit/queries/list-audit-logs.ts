import { z } from 'zod';
import { pageFields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { effects } from '../../platform/mcp/tool.js';
import { operation } from '../../platform/operations/operation.js';
import { instant, offsetPage, text } from '../../platform/operations/schemas.js';
import { auditRun, runOutcomes } from '../audit-run.js';
import { type RunOutcome } from '../audit-tables.js';
import { listAuditRuns } from '../audit-views.js';

const outcomes = new RegExp(`^(${runOutcomes.join('|')})(,(${runOutcomes.join('|')}))*$`);

const query = z.strictObject({
  actor: text(200).optional().describe('Only runs that this actor caused'),
  dealId: text(200).optional().describe('Only runs of this deal, by its id in the CRM'),
  outcome: z
    .string()
    .regex(outcomes, `must be one or several of ${runOutcomes.join(', ')}, separated by commas`)
    .transform((list) => list.split(',') as RunOutcome[])
    .optional()
    .describe(`Only runs with one of these outcomes, separated by commas: ${runOutcomes.join(', ')}`),
  from: instant.optional().describe('Only runs from this instant on, ISO 8601'),
  to: instant.optional().describe('Only runs before this instant, ISO 8601'),
  ...offsetPage('runs', 500, 100),
});

export const listAuditLogs = operation({
  id: 'listAuditLogs',
  summary: 'List engine runs and actions of people, newest first, with outcome and counters',
  method: 'get',
  path: '/v1/workspaces/audit-logs',
  access: 'admin',
  query,
  response: z.object({
    runs: z.array(auditRun).describe('The runs of the page, latest first'),
    ...pageFields,
  }),
  failures: {},
  tool: {
    name: 'list_audit_logs',
    title: 'List audit logs',
    hints: effects.reads,
    description: {
      purpose:
        'Engine runs, and what people did to statements, disputes, keys and connections, newest first, with outcome and counters.',
      useWhen: 'you ask why nothing changed, or who approved a statement.',
      notFor: 'an amount (get_commissions) or who changed a plan.',
      formats: 'actor orchestrator is the engine; mcp: precedes what agents did.',
      changes: 'nothing.',
    },
    arguments: {
      actor: 'This actor',
      dealId: 'This deal',
      outcome: 'Comma-separated',
      from: 'From then on',
      to: { always: undefined },
    },
    list: 'runs',
    summary: ({ count }) => `Entries that match: ${count}.`,
  },
  example: {
    query: { dealId: sampleIds.dealId, limit: '50' },
    response: {
      runs: [
        {
          runId: sampleIds.jobId,
          actor: 'orchestrator',
          trigger: 'deal_change',
          scope: 'deal',
          dealId: sampleIds.dealId,
          repId: sampleIds.repId,
          outcome: 'written',
          counters: { eventsWritten: 1, eventsReversed: 0, statementLocked: false, skipped: 0 },
          startedAt: '2026-02-11T08:30:00.000Z',
          durationMs: 14,
        },
      ],
      count: 1,
      limit: 50,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { limit, offset, ...filter } }, caller, { unitOfWork }) {
    const found = await unitOfWork.run(caller, { lock: 'none', access: 'read', replica: true }, (tx) =>
      listAuditRuns(tx, filter, { limit, offset }),
    );
    return { ...found, limit, offset };
  },
});
