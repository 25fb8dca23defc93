import 'reflect-metadata';
import { expect } from 'chai';
import { testService } from '#test/support/test-service.js';

describe('the import of reps from a CSV file', () => {
  const service = testService();

  it('creates or updates reps by e-mail, returns a result for each row, and writes nothing in a dry run', async () => {
    const { api } = await service.workspace();
    await api.expect(200, 'PUT', '/v1/reps', { reps: [{ email: 'ann@x.io', name: 'Ann', payrollId: 'P1' }] });
    const text = [
      'E-Mail,Name,Role,Active,CRM Member ID,Manager Email,Manager From,Payroll ID',
      'mia@x.io,Mia,Manager,yes,m1,,,',
      'ANN@x.io,,,,a1,mia@x.io,1/15/26,',
      'bob@x.io,Bob,rep,true,,nobody@x.io,,',
      'cy@x.io,,rep,true,,,,',
      'dan@x.io,Dan,boss,true,,,,',
      'mia@x.io,Mia again,,,,,,',
    ].join('\n');
    const send = (query: string) =>
      api.expect(200, 'POST', `/v1/reps/import?dateFormat=MDY${query}`, text, { 'Content-Type': 'text/csv' });
    const outcomes = ({ results }: { results: { outcome: string }[] }) => results.map(({ outcome }) => outcome);
    const dry = await send('&dryRun=true');
    expect((await api.expect(200, 'GET', '/v1/reps')).reps).to.have.length(1);
    const answer = await send('');
    expect(outcomes(dry)).to.deep.equal(outcomes(answer));
    expect(outcomes(answer)).to.deep.equal(['created', 'changed', 'rejected', 'rejected', 'rejected', 'rejected']);
    expect(answer).to.include({ accepted: 2, rejected: 4, dryRun: false });
    const { reps } = await api.expect(200, 'GET', '/v1/reps');
    const [ann, mia] = reps;
    expect(ann).to.include({ name: 'Ann', crmMemberId: 'a1', payrollId: 'P1', managerId: mia.id });
    expect(mia).to.include({ role: 'manager', crmMemberId: 'm1' });
    expect(reps).to.have.length(2);
    expect(outcomes(await send('')).slice(0, 2)).to.deep.equal(['unchanged', 'unchanged']);
  });
});
