import { expect } from 'chai';
import { type CrmProvider } from '#src/crm/adapters/port.js';
import { deleteConnection } from '#src/crm/connections/crm-connection-store.js';
import { deriveFromPeople } from '#src/deals/derive-from-people.js';
import { newId } from '#src/kernel/ids.js';
import { recalculateIn } from '#src/ledger/requests/recalculate.js';
import { setPersonFields } from '#src/people/reps/commands/set-person-fields.js';
import { updateRep } from '#src/people/reps/commands/update-rep.js';
import { importCrmMembers, type Member } from '#src/people/reps/import-crm-members.js';
import { getRep } from '#src/people/reps/queries/get-rep.js';
import { type Transaction } from '#src/platform/database/unit-of-work.js';
import { OfflineWorkspace } from '#test/support/offline-workspace.js';

describe('the import of the members of a CRM', () => {
  it('keeps the payroll id of a person whom a second CRM renames', async () => {
    const workspace = await OfflineWorkspace.create();
    const member = { email: 'ann@x.io', avatar: null, active: true };
    const importFrom = (provider: string, more: Pick<Member, 'crmId' | 'name'>) =>
      workspace.db.unitOfWork.run(workspace.admin, { lock: 'exclusive', access: 'write' }, (tx) =>
        importCrmMembers(tx, recalculateIn(tx, new Set(), deriveFromPeople), provider, [{ ...member, ...more }]),
      );
    const { repIds } = await importFrom('crma', { crmId: newId(), name: 'Ann' });
    const crmId = newId();
    await importFrom('crmb', { crmId, name: 'Ann' });
    const params = { repId: repIds[0] };
    await workspace.run(updateRep, { params, body: { payrollId: 'P1' } });
    await importFrom('crmb', { crmId, name: 'Ann B' });
    expect(await workspace.run(getRep, { params })).to.include({ name: 'Ann B', payrollId: 'P1' });
  });

  it('fills in the team of the CRM, and keeps one that is stored', async () => {
    const workspace = await OfflineWorkspace.create();
    const crmId = newId();
    const importTeams = (teams: readonly string[]) =>
      workspace.db.unitOfWork.run(workspace.admin, { lock: 'exclusive', access: 'write' }, (tx) =>
        importCrmMembers(tx, recalculateIn(tx, new Set(), deriveFromPeople), 'crmc', [
          { crmId, name: 'Ann', email: 'ann@x.io', avatar: null, active: true, teams },
        ]),
      );
    const { repIds } = await importTeams([]);
    const params = { repId: repIds[0] };
    const readTeam = async () => (await workspace.run(getRep, { params })).team;
    expect(await readTeam()).to.equal(null);
    await importTeams(['North', 'Leads']);
    expect(await readTeam()).to.equal('North');
    await workspace.run(updateRep, { params, body: { team: 'South' } });
    await importTeams(['West']);
    expect(await readTeam()).to.equal('South');
  });

  it('fills in the fields that the workspace maps, and keeps values that are stored', async () => {
    const workspace = await OfflineWorkspace.create();
    const fields = [
      { slug: 'region', label: 'Region', type: 'select', options: ['DACH', 'Nordics'], crmField: 'Division' },
      { slug: 'level', label: 'Level', type: 'number', crmField: 'Level__c' },
      { slug: 'mentor', label: 'Mentor', type: 'text' },
    ];
    await workspace.run(setPersonFields, { body: { fields } });
    const crmId = newId();
    const importValues = (values: Record<string, string | number>) =>
      workspace.db.unitOfWork.run(workspace.admin, { lock: 'exclusive', access: 'write' }, (tx) =>
        importCrmMembers(tx, recalculateIn(tx, new Set(), deriveFromPeople), 'crmc', [
          { crmId, name: 'Ann', email: 'ann@x.io', avatar: null, active: true, values },
        ]),
      );
    const { repIds } = await importValues({ division: 'dach', Level__c: 'many' });
    const params = { repId: repIds[0] };
    const read = async () => (await workspace.run(getRep, { params })).fields;
    expect(await read()).to.deep.equal({ region: 'DACH' });
    await importValues({ Division: 'Nordics', Level__c: 3, mentor: 'Mia' });
    expect(await read()).to.deep.equal({ region: 'DACH', level: 3 });
    await workspace.run(updateRep, { params, body: { fields: { region: null, level: 4 } } });
    await importValues({ Division: 'Nordics', Level__c: 5 });
    expect(await read()).to.deep.equal({ region: 'Nordics', level: 4 });
  });

  describe('deactivates a person who leaves', () => {
    let workspace: OfflineWorkspace;

    beforeEach(async () => {
      workspace = await OfflineWorkspace.create();
    });

    const write = <T>(work: (tx: Transaction) => Promise<T>) =>
      workspace.db.unitOfWork.run(workspace.admin, { lock: 'exclusive', access: 'write' }, work);
    const connect = (provider: CrmProvider) =>
      workspace.insert.row('crm_connections', { provider, connected_at: 'now' });
    const disconnect = (provider: CrmProvider) => write((tx) => deleteConnection(tx, workspace.admin, provider));

    /** Imports Ben, whose member id is the name of the CRM, and returns whether he is active then. */
    async function isActiveAfter(provider: CrmProvider, active: boolean): Promise<boolean> {
      const ben = { crmId: provider, name: 'Ben', email: 'ben@x.io', avatar: null, active };
      const { repIds } = await write((tx) =>
        importCrmMembers(tx, recalculateIn(tx, new Set(), deriveFromPeople), provider, [ben]),
      );
      return (await workspace.run(getRep, { params: { repId: repIds[0] } })).active;
    }

    it('the last of several CRMs, whichever it is, and once', async () => {
      for (const [first, last] of [
        ['crma', 'crmb'],
        ['crmb', 'crma'],
      ] as const) {
        workspace = await OfflineWorkspace.create();
        for (const provider of ['crma', 'crmb'] as const) {
          await connect(provider);
          expect(await isActiveAfter(provider, true)).to.equal(true);
        }
        expect(await isActiveAfter(first, false), `left ${first}`).to.equal(true);
        expect(await isActiveAfter(last, false), `left ${first}, then ${last}`).to.equal(false);
        await workspace.db.sql('update reps set active = true');
        expect(await isActiveAfter(last, false)).to.equal(true);
        expect(await isActiveAfter(first, false)).to.equal(true);
      }
    });

    it('the CRM that has replaced the one from which the person was imported', async () => {
      await connect('crma');
      expect(await isActiveAfter('crma', true)).to.equal(true);
      await disconnect('crma');
      await connect('crmb');
      expect(await isActiveAfter('crmb', true)).to.equal(true);
      expect(await isActiveAfter('crmb', false)).to.equal(false);
    });

    it('the CRM from which the person was imported, after the other one was disconnected', async () => {
      for (const provider of ['crma', 'crmb'] as const) {
        await connect(provider);
        expect(await isActiveAfter(provider, true)).to.equal(true);
      }
      await disconnect('crmb');
      expect(await isActiveAfter('crma', false)).to.equal(false);
    });
  });
});
