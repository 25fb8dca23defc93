import { z } from 'zod';
import { listOf } from '../../platform/operations/list-of.js';
import { asOfQuery } from '../../platform/operations/schemas.js';
import { requireAccounting } from '../settings-views.js';
import { toWriteOffResponse, writeOff, writeOffExample } from '../write-off.js';
import { listWriteOffs } from '../write-off-views.js';

export const listAccountingWriteOffs = listOf(
  {
    id: 'listAccountingWriteOffs',
    summary: 'What people owe and the company has written off, or is proposed to',
    path: '/v1/accounting/write-offs',
    access: 'admin',
    payroll: true,
    scope: 'payroll',
    query: z.strictObject({ asOf: asOfQuery }),
    list: {
      name: 'writeOffs',
      items: z.array(writeOff).describe('All write-offs, the latest day first'),
      counted: 'write-offs',
    },
    failures: { accounting_off: 409 },
    example: { items: [writeOffExample] },
  },
  async (tx) => {
    await requireAccounting(tx);
    return (await listWriteOffs(tx, null)).map(toWriteOffResponse);
  },
);
