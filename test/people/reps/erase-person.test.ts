import { expect } from 'chai';
import pg from 'pg';
import { erasePerson } from '#src/people/reps/erase-person.js';
import { type ApiClient } from '#test/support/api-client.js';
import { Service } from '#test/support/service.js';
import { flatRule } from '#test/support/terms.js';

const name = 'Quendoline Xavierson';
const email = 'q.xavierson@acme.test';
const memberId = 'member-77310';
const payrollId = 'PAY-55021';
const profile = { title: 'Queen of Renewals', team: 'Renewals of 55021', location: 'Attic of 55021' };
const mentor = 'Mentor of 55021';
const period = '2026-01';

describe('erasing a person', () => {
  const service = Service.duringSuite();
  let api: ApiClient;
  let workspaceId: string;
  let person: string;
  let colleague: string;

  beforeEach(async () => {
    ({ workspaceId, api } = await service.workspace());
    await api.expect(200, 'PUT', '/v1/person-fields', {
      fields: [{ slug: 'mentor', label: 'Mentor', type: 'text' }],
    });
    [person, colleague] = await api.saveReps(
      { email, name, role: 'manager', crmMemberId: memberId, payrollId, ...profile, fields: { mentor } },
      { email: 'other@acme.test', name: 'Other', crmMemberId: 'other' },
      { email: 'boss@acme.test', name: 'Boss', role: 'admin' },
    );
    const deal = { stage: 'Won', closeDate: '2026-01-15', amount: 1000 };
    const deals = [
      { ...deal, dealId: 'd1', ownerId: memberId, fields: { owner_name: name, region: 'EU', size: 3 } },
      { ...deal, dealId: 'd2', ownerEmail: email },
      { ...deal, dealId: 'd3', ownerId: 'other', fields: { referred_by: name } },
      { ...deal, dealId: 'd4', ownerId: 'other', amount: 0, fields: { referred_by: `${name}, junior` } },
    ];
    await api.expect(200, 'POST', '/v1/deals/import', { deals });
    await api.createPlan({ name: 'P', config: { rules: [flatRule('R', 0.1)] } }, [person, colleague]);
    await api.setQuota([person, colleague], 'R', '2026-Q1', 1);
    await service.waitForCalculations(workspaceId);
  });

  const erase = (repId = person) =>
    service.running.service.unitOfWork.run({ workspaceId }, { lock: 'shared', access: 'write' }, (tx) =>
      erasePerson(tx, { actor: 'command-line' }, repId),
    );

  /** Every place at which one of the texts is stored, in any table. */
  async function placesOf(texts: readonly string[]): Promise<string[]> {
    const client = new pg.Client({ connectionString: service.database.ownerUrl });
    await client.connect();
    try {
      await client.query(`select set_config('app.all_workspaces', 'on', false)`);
      const tables = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
      const places: string[] = [];
      for (const { tablename } of tables.rows)
        for (const text of texts) {
          const { rows } = await client.query(
            `select 1 from "${tablename}" t where strpos(lower(t::text), $1) > 0 limit 1`,
            [text.toLowerCase()],
          );
          if (rows.length > 0) places.push(`${tablename}: ${text}`);
        }
      return places;
    } finally {
      await client.end();
    }
  }

  /** Uses the data of the person in every way that stores a copy. */
  async function spread(): Promise<void> {
    const own = await service.as(workspaceId, person);
    await own.expect(201, 'POST', `/v1/statements/${person}/comments`, { period, body: 'agreed' });
    for (const repId of [person, colleague]) await api.generate(repId, period);
    await own.approve(colleague, period);
    await api.approve(person, period);
    await api.expect(200, 'POST', `/v1/reps/${person}/invite`);
    await api.send('PATCH', `/v1/reps/${person}`, { active: true }, { 'Idempotency-Key': 'k1' });
    const file = `email,location\n${email},Elsewhere\n`;
    await api.expect(200, 'POST', '/v1/reps/import', file, { 'Content-Type': 'text/csv' });
    await service.sql(
      `with import as (
         insert into scheduled_imports (workspace_id, scheduled_import_id, name, subject, source, options, every, at_time,
           revision, next_run_at)
         values ($1, gen_random_uuid(), 'HR', 'people', '{}', '{}', 'day', '03:00', gen_random_uuid(), 'infinity')
         returning workspace_id, scheduled_import_id)
       insert into scheduled_import_files (workspace_id, scheduled_import_id, file_id, name, hash, bytes, status, sample, result)
       select workspace_id, scheduled_import_id, gen_random_uuid(), 'hr.csv', repeat('a', 64), 100, 'imported', $2, $3
       from import`,
      workspaceId,
      JSON.stringify({ header: ['email', 'name'], rows: [[email, name]], count: 1 }),
      JSON.stringify({
        rejected: 1,
        reasons: [{ row: 1, reason: `payroll id ${payrollId}` }],
        unknownOwners: [memberId],
      }),
    );
  }

  it('leaves no copy of the name, the address and the external ids in any table', async () => {
    await spread();
    expect((await placesOf([name, email])).length).to.be.greaterThan(5);
    const { rows } = await erase();
    expect(rows).to.include({ deals: 3, approvals: 1, mails: 1, importedFiles: 1 });
    await api.expect(200, 'DELETE', '/v1/deals/d4?hard=true');
    expect(await placesOf([name, email, memberId, payrollId, ...Object.values(profile), mentor])).to.deep.equal([]);
  });

  it('keeps the values with days, which decide rates, and none of the other fields', async () => {
    await api.expect(200, 'PUT', '/v1/person-fields', {
      fields: [
        { slug: 'mentor', label: 'Mentor', type: 'text' },
        { slug: 'level', label: 'Level', type: 'text', dated: true },
      ],
    });
    const level = 'Level of 55021';
    await api.expect(200, 'PUT', `/v1/reps/${person}/fields/level`, { values: [{ value: level }] });
    await erase();
    expect(await placesOf([level, mentor])).to.deep.equal([`person_values: ${level}`]);
  });

  it('keeps amounts, statements and the owners of deals, also after a recalculation', async () => {
    await spread();
    const read = async () => {
      const statement = await api.expect(200, 'GET', `/v1/statements?repId=${person}&period=${period}`);
      const { deals } = await api.expect(200, 'GET', `/v1/deals?repId=${person}`);
      return {
        summary: statement.summary,
        status: statement.status,
        version: statement.version,
        deals: deals.map((deal: { deal_id: string }) => deal.deal_id).sort(),
      };
    };
    const before = await read();
    expect(before.summary.netPayout).to.equal(200);
    await erase();
    expect(await read()).to.deep.equal(before);
    await api.expect(200, 'POST', '/v1/commissions/recalculate', {});
    await service.waitForCalculations(workspaceId);
    expect(await read()).to.deep.equal(before);
    const [comment] = await api.expect(200, 'GET', `/v1/statements/${person}/comments?period=${period}`);
    expect(JSON.stringify(comment)).to.include(`Erased person ${person.slice(0, 8)}`);
    const { deals } = await api.expect(200, 'GET', `/v1/deals?repId=${person}`);
    const erased = deals.find((deal: { deal_id: string }) => deal.deal_id === 'd1');
    expect(erased.fields).to.include({ region: 'EU', size: 3, owner_name: `Erased person ${person.slice(0, 8)}` });
  });

  it('deactivates the person, ends the sessions and sends no invitation', async () => {
    const own = await service.as(workspaceId, person);
    expect((await own.get('/auth/me')).status).to.equal(200);
    await erase();
    expect((await own.get('/auth/me')).status).to.equal(401);
    const rep = await api.expect(200, 'GET', `/v1/reps/${person}`);
    expect(rep).to.include({ active: false, email: `erased-${person}@erased.invalid` });
    expect((await api.post(`/v1/reps/${person}/invite`)).status).to.equal(400);
  });

  it('writes an audit entry with the id of the person, and gives the same pseudonym again', async () => {
    const first = await erase();
    expect((await erase()).name).to.equal(first.name);
    const logs = JSON.stringify(await api.expect(200, 'GET', '/v1/workspaces/audit-logs?actor=command-line'));
    expect(logs).to.include('person_erased').and.to.include(person);
  });

  it('rejects an unknown person and the last admin', async () => {
    const failed = async (repId: string) =>
      erase(repId).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
    expect(await failed(crypto.randomUUID())).to.equal('rep_not_found');
    const { reps } = await api.expect(200, 'GET', '/v1/reps?email=boss@acme.test');
    expect(await failed(reps[0].id)).to.equal('last_admin');
  });
});
