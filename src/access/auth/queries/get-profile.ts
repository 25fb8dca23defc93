import { z } from 'zod';
import { fields } from '../../../api/resource-fields.js';
import { roles } from '../../../kernel/caller.js';
import { calendarNames } from '../../../kernel/period-calendar.js';
import { sampleIds } from '../../../kernel/sample-ids.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { operation } from '../../../platform/operations/operation.js';
import { findWorkspace, loadPayPeriodSegments } from '../../workspaces/workspace-views.js';
import { findIdentity } from '../identity-views.js';

const response = z.object({
  repId: z.string().nullable().describe('The rep of a session; null for an API key and a connection token'),
  email: z.string().nullable().describe('E-mail address of the rep; null for tokens without a person'),
  name: z.string().describe("The rep's name; of an API key or a connection token, the name of the token"),
  role: z.enum(roles).nullable().describe('An API key acts as admin; a connection token has no role'),
  workspace: z
    .object({
      workspaceId: fields.workspaceId,
      name: z.string().describe('Name of the workspace'),
      currency: fields.currency,
      timezone: fields.timezone,
      payPeriods: z
        .array(
          z
            .object({
              from: z.string().describe('First day from which they count, YYYY-MM-DD'),
              period: z.enum(['monthly', 'quarterly']).describe('Length of a pay period'),
              calendar: z.enum(calendarNames).describe('Calendar of the pay periods'),
            })
            .describe('Pay periods from a day on'),
        )
        .optional()
        .describe('The pay periods, the earliest first; absent without payouts'),
    })
    .describe('The workspace of the token'),
});

export const getProfile = operation({
  id: 'getProfile',
  summary: 'The person or token that calls, and its workspace',
  method: 'get',
  path: '/auth/me',
  access: 'connection',
  payroll: true,
  scope: 'any',
  response,
  failures: {},
  example: {
    response: {
      repId: sampleIds.repId,
      email: 'ben@acme.test',
      name: 'Ben',
      role: 'rep',
      workspace: { workspaceId: sampleIds.workspaceId, name: 'Acme', currency: 'USD', timezone: 'UTC' },
    },
  },
  uses: { unitOfWork: UnitOfWork },
  async execute(_input, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    return unitOfWork.read(caller, async (tx) => {
      const { workspaceId, name, currency, timezone } = await findWorkspace(tx);
      const payPeriods = await loadPayPeriodSegments(tx);
      return {
        repId: caller.repId,
        ...(await findIdentity(tx, caller)),
        workspace: {
          ...{ workspaceId, name, currency, timezone },
          ...(payPeriods === null ? {} : { payPeriods: [...payPeriods] }),
        },
      };
    });
  },
});
