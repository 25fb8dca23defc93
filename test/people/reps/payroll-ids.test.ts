import { expect } from 'chai';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { Service } from '#test/support/service.js';

describe('payroll ids', () => {
  const service = Service.duringSuite();
  let workspaceId: string;
  /** With the key of the command line, which belongs to no person. */
  let api: ApiClient;
  let amy: string;
  let ben: string;
  let cat: string;
  let session: ApiClient;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    [amy, ben, cat] = await api.saveReps(
      { name: 'Amy', role: 'admin', payrollId: 'E100' },
      { name: 'Ben', payrollId: 'E200' },
      { name: 'Cat' },
    );
    session = await service.as(workspaceId, amy);
  });

  const idOf = async (repId: string) => (await api.expect(200, 'GET', `/v1/reps/${repId}`)).payrollId;
  const set = (client: ApiClient, repId: string, payrollId: string | null) =>
    client.patch(`/v1/reps/${repId}`, { payrollId });
  const importCsv = async (client: ApiClient, ...rows: string[]) => {
    const text = ['email,name,payrollId', ...rows].join('\n');
    const { results } = await client.expect(200, 'POST', '/v1/reps/import', text, { 'Content-Type': 'text/csv' });
    return results.map(({ outcome, reason }: { outcome: string; reason?: string }) => reason ?? outcome);
  };

  describe('belong to one person', () => {
    for (const taken of ['E200', 'e200', ' E 200', 'Ｅ200'])
      it(`and ${JSON.stringify(taken)} is that of Ben, in every operation`, async () => {
        const { message } = await expectError('400 VALIDATION_FAILED', set(api, cat, taken));
        expect(message).to.equal('payrollId: belongs to Ben');
        const person = { email: 'new@x.io', name: 'New', payrollId: taken };
        const { details } = await expectError('400 VALIDATION_FAILED', api.put('/v1/reps', { reps: [person] }));
        expect(details.issues).to.deep.equal([{ path: 'reps.0.payrollId', message: 'belongs to Ben' }]);
        expect(await importCsv(api, `cat@x.io,Cat,${taken}`, 'dan@x.io,Dan,E300')).to.deep.equal([
          'payrollId: belongs to Ben',
          'created',
        ]);
        expect(await idOf(cat)).to.equal(null);
      });

    it('without invisible characters', async () => {
      await expectError('400 VALIDATION_FAILED', set(api, cat, 'E2\u200b00'));
    });

    it('also within one request, and while another request runs', async () => {
      const people = ['one', 'two'].map((name) => ({ email: `${name}@x.io`, name, payrollId: 'E300' }));
      const { details } = await expectError('400 VALIDATION_FAILED', api.put('/v1/reps', { reps: people }));
      expect(details.issues).to.deep.equal([{ path: 'reps.1.payrollId', message: 'belongs to one' }]);
      const answers = await Promise.all([set(api, cat, 'E400'), set(api, ben, 'E400')]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
    });

    it('who may swap them, write them in another way and give them up', async () => {
      const swap = {
        reps: [
          { email: 'amy@x.io', name: 'Amy', payrollId: 'E200' },
          { email: 'ben@x.io', name: 'Ben', payrollId: 'E100' },
        ],
      };
      await api.expect(200, 'PUT', '/v1/reps', swap);
      expect([await idOf(amy), await idOf(ben)]).to.deep.equal(['E200', 'E100']);
      expect((await set(api, ben, 'e100')).status).to.equal(200);
      expect((await set(api, ben, null)).status).to.equal(200);
      expect((await set(api, cat, 'E100')).status).to.equal(200);
    });

    it('and are still theirs when the request names them without the id', async () => {
      const reps = [
        { email: 'cat@x.io', name: 'Cat', payrollId: 'E200' },
        { email: 'ben@x.io', name: 'Ben' },
      ];
      await expectError('400 VALIDATION_FAILED', api.put('/v1/reps', { reps }));
    });

    it('of each workspace', async () => {
      const { api: other } = await service.workspace();
      await other.saveReps({ name: 'Ben', payrollId: 'E200' });
    });
  });

  describe('are never changed by the person', () => {
    const other = { 'with a session': async () => session, 'with a key that they created': keyOfAmy };

    async function keyOfAmy(): Promise<ApiClient> {
      const { apiKey } = await session.expect(200, 'POST', '/v1/workspaces/keys/rotate', { graceMinutes: 60 });
      return service.client(apiKey);
    }

    for (const [how, client] of Object.entries(other))
      it(how, async () => {
        const caller = await client();
        for (const payrollId of ['E101', null]) await expectError('403 forbidden', set(caller, amy, payrollId));
        const reps = [{ email: 'amy@x.io', name: 'Amy', payrollId: 'E101' }];
        await expectError('403 forbidden', caller.put('/v1/reps', { reps }));
        const [own, others] = await importCsv(caller, 'amy@x.io,Amy,E101', 'cat@x.io,Cat,E300');
        expect(own).to.match(/^payrollId: You cannot change your own payroll id/);
        expect(others).to.equal('changed');
        expect(await idOf(amy)).to.equal('E100');
        expect((await set(caller, amy, 'E100')).status).to.equal(200);
        expect((await set(caller, ben, 'E201')).status).to.equal(200);
      });
  });

  describe('that are missing may be added by payroll', () => {
    let joan: string;
    let payroll: ApiClient;

    beforeEach(async () => {
      [joan] = (await api.saveReps({ name: 'Joan', role: 'payroll' })) as [string];
      payroll = await service.as(workspaceId, joan);
    });

    const add = (client: ApiClient, repId: string, payrollId: string) =>
      client.post(`/v1/reps/${repId}/payroll-id`, { payrollId });

    it('once', async () => {
      const { body } = await add(payroll, cat, 'E300');
      expect([body.name, body.payrollId]).to.deep.equal(['Cat', 'E300']);
      expect((await add(payroll, cat, 'E300')).status).to.equal(200);
      await expectError('409 payroll_id_exists', add(payroll, cat, 'E301'));
      await expectError('403 forbidden', set(payroll, cat, 'E301'));
      expect(await idOf(cat)).to.equal('E300');
    });

    it('but not their own, and not that of another person', async () => {
      await expectError('403 forbidden', add(payroll, joan, 'E300'));
      await expectError('400 VALIDATION_FAILED', add(payroll, cat, 'e200'));
      expect([await idOf(joan), await idOf(cat)]).to.deep.equal([null, null]);
    });

    it('and by admins, but not by managers', async () => {
      const [max] = await api.saveReps({ name: 'Max', role: 'manager' });
      await expectError('403 forbidden', add(await service.as(workspaceId, max as string), cat, 'E300'));
      expect((await add(session, cat, 'E300')).status).to.equal(200);
    });
  });

  it('that people shared before are kept, listed with the payroll file, and given to no third person', async () => {
    await api.saveReps({ name: 'Dan', payrollId: 'E500' });
    await service.sql('alter table reps disable trigger record_payroll_id_change');
    await service.sql(`update reps set payroll_id = 'E200', payroll_key = null where rep_id = $1`, cat);
    await service.sql('alter table reps enable trigger record_payroll_id_change');
    await earnings(ben, cat);
    const shared = async () => {
      const team = await api.expect(200, 'GET', '/v1/statements?period=2026-01');
      const file = await api.get('/v1/statements/export.csv?period=2026-01');
      expect(file.headers.get('x-shared-payroll-ids')).to.equal(String(team.sharedPayrollIds.length));
      return team.sharedPayrollIds;
    };
    expect(await shared()).to.deep.equal([ben, cat]);
    await expectError(
      '400 VALIDATION_FAILED',
      api.put('/v1/reps', { reps: [{ email: 'd@x.io', name: 'D', payrollId: 'E200' }] }),
    );
    await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'cat@x.io', name: 'Cat', role: 'rep' }] });
    expect((await set(api, cat, 'E600')).status).to.equal(200);
    expect(await shared()).to.deep.equal([]);
  });

  async function earnings(...repIds: string[]): Promise<void> {
    const rules = [{ name: 'R', measure: 'amount', tiers: [{ tierIndex: 0, minThreshold: 0, rate: 0.1 }] }];
    await api.createPlan({ name: 'AE', config: { rules } }, repIds);
    for (const repId of repIds)
      for (const month of ['01', '02'])
        await api.put(`/v1/deals/${repId}-${month}`, { amount: 1000, closeDate: `2026-${month}-15`, repId });
    await service.waitForCalculations(workspaceId);
  }

  describe('that have changed are listed with the payroll file', () => {
    const period = '2026-01';

    async function changed(of = period): Promise<string[]> {
      const team = await api.expect(200, 'GET', `/v1/statements?period=${of}`);
      const file = await api.get(`/v1/statements/export.csv?period=${of}&layout=long`);
      expect(file.headers.get('x-changed-payroll-ids')).to.equal(String(team.changedPayrollIds.length));
      for (const { changedAt } of team.changedPayrollIds) expect(Date.parse(changedAt)).to.be.greaterThan(0);
      return team.changedPayrollIds.map(({ repId }: { repId: string }) => repId);
    }

    async function approve(of = period): Promise<void> {
      for (const repId of [ben, cat]) {
        await api.generate(repId, of);
        await api.approve(repId, of);
      }
    }
    const handOver = () => api.expect(201, 'POST', '/v1/payroll-handovers', { period, layout: 'long' });

    beforeEach(() => earnings(ben, cat));

    it('after the approval', async () => {
      await approve();
      expect(await changed()).to.deep.equal([]);
      await api.patch(`/v1/reps/${ben}`, { role: 'manager' });
      await set(api, ben, 'E200');
      expect(await changed()).to.deep.equal([]);
      await set(api, ben, 'E201');
      await set(api, cat, 'E300');
      expect(await changed()).to.deep.equal([ben, cat]);
    });

    it('also by imports, and after they were changed back', async () => {
      await approve();
      await importCsv(api, 'ben@x.io,Ben,E201');
      await set(api, ben, 'E200');
      expect(await changed()).to.deep.equal([ben]);
    });

    it('since the last hand-over, of any period, which names them too', async () => {
      await approve();
      await set(api, ben, 'E201');
      const { changedPayrollIds } = await handOver();
      expect(changedPayrollIds.map(({ repId }: { repId: string }) => repId)).to.deep.equal([ben]);
      expect(await changed()).to.deep.equal([ben]);
      await set(api, cat, 'E300');
      await approve('2026-02');
      expect(await changed('2026-02')).to.deep.equal([cat]);
    });

    it('and not for people without an amount', async () => {
      await approve();
      await handOver();
      await set(api, ben, 'E201');
      expect(await changed('2026-05')).to.deep.equal([]);
    });
  });
});
