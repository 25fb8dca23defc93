import { z } from 'zod';
import { readsAsAdmin } from '../../../kernel/caller.js';
import { UnitOfWork } from '../../../platform/database/unit-of-work.js';
import { effects } from '../../../platform/mcp/tool.js';
import { operation } from '../../../platform/operations/operation.js';
import { changeRequest, changeRequestExample, changeRequestStatuses } from '../change-request.js';
import { listChangeRequests as load } from '../change-request-views.js';

/** Older requests are in the audit log. */
const maxListed = 500;

const query = z.strictObject({
  status: z.enum(changeRequestStatuses).optional().describe('Only requests with this status'),
});

export const listChangeRequests = operation({
  id: 'listChangeRequests',
  summary:
    'The last 500 changes that agents have requested, newest first: all for admins, otherwise those of your own agents',
  method: 'get',
  path: '/v1/change-requests',
  access: 'rep',
  payroll: true,
  query,
  response: z.object({ changeRequests: z.array(changeRequest).describe('The change requests') }),
  failures: {},
  tool: {
    name: 'list_change_requests',
    title: 'List change requests',
    hints: effects.reads,
    description: {
      purpose: 'Changes that wait for a person, and what became of earlier ones.',
      useWhen: 'a tool answered approval_required.',
      notFor: 'deciding: people do.',
      changes: 'nothing.',
    },
    arguments: { status: 'This status' },
    list: 'changeRequests',
    summary: ({ changeRequests }) => `Change requests: ${changeRequests.length}.`,
  },
  example: { query: { status: 'pending' }, response: { changeRequests: [changeRequestExample] } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { status } }, caller, { unitOfWork }) {
    const repId = readsAsAdmin(caller) ? null : caller.repId;
    return {
      changeRequests: await unitOfWork.read(caller, (tx) => load(tx, { repId, status, limit: maxListed })),
    };
  },
});
