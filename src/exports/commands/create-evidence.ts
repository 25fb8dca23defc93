import { z } from 'zod';
import { addDays } from '../../kernel/day.js';
import { invalid } from '../../kernel/failure.js';
import { toPeriod } from '../../kernel/period.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery, day } from '../../platform/operations/schemas.js';
import { exportFailures, exportJob, exportJobExample } from '../export-job.js';
import { ExportRequests } from '../export-requests.js';
import { sample } from '../packets/evidence.js';
import { beginOfDay } from '../packets/evidence-rows.js';

const body = z.strictObject({
  from: day.describe('First day of the packet, YYYY-MM-DD'),
  to: day.describe('Last day of the packet, YYYY-MM-DD'),
  asOf: asOfQuery.describe(
    'The instant whose state the packet shows, ISO 8601; default: the end of the last day, or now if that has not ended',
  ),
  sample: sample.optional(),
});

export const createEvidence = operation({
  id: 'createEvidence',
  summary:
    'Make the packet of evidence of a range of days: one ZIP archive with audit entries, rights, plans, acceptances, statements, signatures, adjustments, and a program that checks it offline',
  method: 'post',
  path: '/v1/evidence',
  access: 'admin',
  stepUp: 'always',
  scope: null,
  reads: true,
  body,
  response: exportJob,
  status: 202,
  failures: exportFailures,
  example: {
    body: { from: '2026-01-01', to: '2026-03-31', sample: { size: 25, seed: 'Q1 2026' } },
    response: {
      ...exportJobExample,
      kind: 'evidence.zip',
      period: '2026-03',
      from: '2026-01-01',
      to: '2026-03-31',
      asOf: '2026-03-31T22:00:00.000Z',
      file: {
        ...exportJobExample.file,
        filename: 'evidence-2026-01-01-2026-03-31.zip',
        manifestSha256: 'b'.repeat(64),
      },
    },
  },
  uses: { unitOfWork: UnitOfWork, requests: ExportRequests, clock: CLOCK },
  async execute({ body: { asOf, ...range } }, caller, { unitOfWork, requests, clock }) {
    if (range.to < range.from) throw invalid({ path: 'to', message: 'must not be before from' });
    const end = await unitOfWork.read(caller, (tx) => beginOfDay(tx, addDays(range.to, 1)));
    const now = clock.now();
    const at = asOf ?? (end < now ? end : now);
    return requests.submit(
      caller,
      async () => ({
        kind: 'evidence.zip',
        repId: null,
        managerId: null,
        period: toPeriod(range.to, 'monthly'),
        range: withoutUndefined(range),
      }),
      { async: true, asOf: at },
    );
  },
});

/** The range without a sample has no field for it, as it is stored. */
function withoutUndefined({ sample: drawn, ...days }: Omit<z.output<typeof body>, 'asOf'>) {
  return drawn === undefined ? days : { ...days, sample: drawn };
}
