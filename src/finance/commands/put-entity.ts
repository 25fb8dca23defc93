import { z } from 'zod';
import { recordAuditEntry } from '../../audit/audit-entry.js';
import { invalid } from '../../kernel/failure.js';
import { UnitOfWork } from '../../platform/database/unit-of-work.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { operation } from '../../platform/operations/operation.js';
import { recordEvent } from '../../platform/outbound/outgoing-events.js';
import { entity, entityBody, entityCode, entityExample, toEntityResponse } from '../entity.js';
import { saveEntity } from '../entity-store.js';
import { findEntity, mainEntity, requireAccounting, requireEntity } from '../settings-views.js';

const { code, ...terms } = entityExample;

export const putEntity = operation({
  id: 'putEntity',
  summary: 'Set the name, the payroll tax and the accounts of a company whose books are kept, or add one',
  method: 'put',
  path: '/v1/accounting/entities/:code',
  access: 'admin',
  params: z.strictObject({ code: entityCode }),
  body: z.strictObject(entityBody),
  response: entity,
  failures: { accounting_off: 409 },
  example: { params: { code }, body: terms, response: entityExample },
  uses: { unitOfWork: UnitOfWork, clock: CLOCK },
  async execute({ params, body }, caller, { unitOfWork, clock }): Promise<z.input<typeof entity>> {
    return unitOfWork.run(caller, { lock: 'exclusive', access: 'write' }, async (tx) => {
      await requireAccounting(tx);
      const present = await findEntity(tx, params.code);
      const currency = present?.currency ?? body.currency ?? (await requireEntity(tx, mainEntity)).currency;
      if (body.currency !== undefined && body.currency !== currency)
        throw invalid({ path: 'currency', message: `the books are kept in ${currency}, which never changes` });
      const payrollTax = body.payrollTax
        .map(({ from, percent }) => ({ from, percent: String(percent) }))
        .sort((a, b) => (a.from < b.from ? 1 : -1));
      const { name, framework, accounts } = body;
      const changed = { code: params.code, currency, name, framework, payrollTax, accounts: { ...accounts } };
      await saveEntity(tx, changed, clock.now());
      await recordEvent(tx, { type: 'accounting.entity_changed', data: { entity: params.code } });
      const before = present === null ? null : toEntityResponse(present);
      await recordAuditEntry(tx, caller, {
        trigger: 'accounting_entity_changed',
        scope: 'accounting',
        details: { entity: params.code, before, after: toEntityResponse(changed) },
        at: clock.now(),
      });
      return toEntityResponse(changed);
    });
  },
});
