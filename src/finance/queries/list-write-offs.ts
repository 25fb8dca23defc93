import { z } from 'zod';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { operation } from '../../platform/operations/operation.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { requireAccounting } from '../settings-views.js';
import { toWriteOffResponse, writeOff, writeOffExample } from '../write-off.js';
import { listWriteOffs } from '../write-off-views.js';

const response = z.object({
  writeOffs: z.array(writeOff).describe('All write-offs, the latest day first'),
  count: z.int().describe('Number of write-offs'),
});

export const listAccountingWriteOffs = operation({
  id: 'listAccountingWriteOffs',
  summary: 'What people owe and the company has written off, or is proposed to',
  method: 'get',
  path: '/v1/accounting/write-offs',
  access: 'admin',
  payroll: true,
  scope: 'payroll',
  query: z.strictObject({ asOf: asOfQuery }),
  response,
  failures: { accounting_off: 409 },
  example: { response: { writeOffs: [writeOffExample], count: 1 } },
  uses: { unitOfWork: UnitOfWork },
  async execute({ query: { asOf } }, caller, { unitOfWork }): Promise<z.input<typeof response>> {
    return unitOfWork.run(caller, { lock: 'none', access: 'read', asOf }, async (tx) => {
      await requireAccounting(tx);
      const writeOffs = (await listWriteOffs(tx, null)).map(toWriteOffResponse);
      return { writeOffs, count: writeOffs.length };
    });
  },
});
