import { expect } from 'chai';
import { newId } from '#src/kernel/ids.js';
import { recalculateIn } from '#src/ledger/recalculate.js';
import { updateRep } from '#src/reps/commands/update-rep.js';
import { importCrmMembers, type Member } from '#src/reps/import-crm-members.js';
import { getRep } from '#src/reps/queries/get-rep.js';
import { duringSuite } from '#test/support/during-suite.js';
import { callerAs, SliceFixture } from '#test/support/slice-fixture.js';

describe('the import of the members of a CRM', () => {
  const slice = duringSuite(() => SliceFixture.create());

  it('keeps the payroll id of a person whom a second CRM renames', async () => {
    const workspaceId = await slice.workspace();
    const admin = callerAs('admin', workspaceId);
    const member = { email: 'ann@x.io', avatar: null, active: true };
    const importFrom = (provider: string, more: Pick<Member, 'crmId' | 'name'>) =>
      slice.unitOfWork.run(admin, { lock: 'exclusive', access: 'write' }, (trx) =>
        importCrmMembers(trx, recalculateIn(trx, workspaceId, new Set()), workspaceId, provider, [
          { ...member, ...more },
        ]),
      );
    const { repIds } = await importFrom('crma', { crmId: newId(), name: 'Ann' });
    const crmId = newId();
    await importFrom('crmb', { crmId, name: 'Ann' });
    const params = { repId: repIds[0] };
    await slice.run(updateRep, admin, { params, body: { payrollId: 'P1' } });
    await importFrom('crmb', { crmId, name: 'Ann B' });
    expect(await slice.run(getRep, admin, { params })).to.include({ name: 'Ann B', payrollId: 'P1' });
  });
});
