import { z } from 'zod';
import { fields, pageFields } from '../../api/resource-fields.js';
import { sampleIds } from '../../kernel/sample-ids.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { flag, offsetPage } from '../../platform/operations/schemas.js';
import { toPlain } from '../apply-corrections.js';
import { correctionName, correctionValue } from '../correction-fields.js';
import { listCorrections } from '../correction-views.js';
import { dealId } from '../deal.js';

const correction = z
  .object({
    dealId: fields.dealId,
    dealName: fields.dealName.nullable(),
    name: correctionName,
    value: correctionValue.describe('The value of the person, which the deal has; null for none'),
    correctedBy: z.string().describe('Who corrected it'),
    correctedByName: z.string().nullable().describe('Name of the person, or that it was a key; null if unknown'),
    correctedAt: z.string().describe('When it was corrected, instant in ISO 8601'),
    reported: correctionValue.describe('The value that a source reported last since; null for none'),
    reportedBy: z.string().nullable().describe('The CRM that reported it; null for a file, the API, or no report'),
    reportedAt: z.string().nullable().describe('When it was reported, instant in ISO 8601; null if no report followed'),
    conflict: z.boolean().describe('Whether the reported value differs from the value of the person'),
    dismissedBy: z
      .string()
      .nullable()
      .describe('Who has dismissed the conflict; null if it was not. Another reported value ends this'),
    dismissedByName: z.string().nullable().describe('Name of the person, or that it was a key; null if unknown'),
    dismissedAt: z.string().nullable().describe('When it was dismissed, instant in ISO 8601; null if it was not'),
  })
  .describe('A value of a deal that a person has corrected');

const response = z.object({
  corrections: z.array(correction).describe('The corrected values of the page, by deal'),
  ...pageFields,
});

export const listDealCorrections = operation({
  id: 'listDealCorrections',
  summary: 'Values of deals that people have corrected, with what sources have reported since',
  method: 'get',
  path: '/v1/deal-corrections',
  access: 'admin',
  query: z.strictObject({
    dealId: dealId.optional().describe('Only of this deal'),
    conflicts: flag
      .optional()
      .describe(
        'true: only values that a source states otherwise, without dismissed conflicts; false: only other ones',
      ),
    ...offsetPage('corrected values', 200, 50),
  }),
  response,
  failures: {},
  example: {
    query: { conflicts: 'true', limit: '50', offset: '0' },
    response: {
      corrections: [
        {
          dealId: sampleIds.dealId,
          dealName: null,
          name: 'amount',
          value: '120000',
          correctedBy: `rep:${sampleIds.managerId}`,
          correctedByName: 'Mia Manager',
          correctedAt: '2026-02-11T08:30:00.000Z',
          reported: '100000',
          reportedBy: 'crmb',
          reportedAt: '2026-02-12T08:30:00.000Z',
          conflict: true,
          dismissedBy: null,
          dismissedByName: null,
          dismissedAt: null,
        },
      ],
      count: 1,
      limit: 50,
      offset: 0,
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { limit, offset, ...filter } }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    const { found, names, count } = await unitOfWork.read(caller, (tx) =>
      listCorrections(tx, { ...filter, limit, offset }),
    );
    const corrections = found.map(({ dealId, dealName, name, correction: { value, by, at, reported } }) => ({
      dealId,
      dealName,
      name,
      value: toPlain(value),
      correctedBy: by,
      correctedByName: names.get(by) ?? null,
      correctedAt: at,
      reported: toPlain(reported?.value ?? null),
      reportedBy: reported?.provider ?? null,
      reportedAt: reported?.at ?? null,
      conflict: reported?.conflicts ?? false,
      dismissedBy: reported?.dismissed?.by ?? null,
      dismissedByName: names.get(reported?.dismissed?.by ?? '') ?? null,
      dismissedAt: reported?.dismissed?.at ?? null,
    }));
    return { corrections, count, limit, offset };
  },
});
