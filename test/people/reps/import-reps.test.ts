import { expect } from 'chai';
import { CommissionChanges } from '#src/ledger/requests/commission-changes.js';
import { Service } from '#test/support/service.js';

describe('the import of reps from a CSV file', () => {
  const service = Service.duringSuite();

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

  describe('with rows that depend on rejected rows', () => {
    const numbers = Array.from({ length: 300 }, (_, index) => index);
    const managerOf: Readonly<Record<string, (index: number) => string>> = {
      'an unknown manager each': (index) => `unknown${index}@x.io`,
      'one chain below an unknown manager': (index) => (index === 0 ? 'unknown@x.io' : `p${index - 1}@x.io`),
      'pairs who manage each other': (index) => `p${index % 2 === 0 ? index + 1 : index - 1}@x.io`,
      'a chain that is too long': (index) => (index === 0 ? '' : `p${index - 1}@x.io`),
    };
    const accepted: Readonly<Record<string, number>> = { 'a chain that is too long': 21 };

    for (const [name, managerEmail] of Object.entries(managerOf))
      it(`rejects ${name} in at most five transactions, and imports the others`, async () => {
        const { api } = await service.workspace();
        const changes = service.running.service.parts.resolve(CommissionChanges);
        const run = changes.run.bind(changes);
        let transactions = 0;
        changes.run = ((...parts: Parameters<typeof run>) => {
          transactions += 1;
          return run(...parts);
        }) as typeof run;
        const rows = numbers.map((index) => `p${index}@x.io,P${index},${managerEmail(index)}`);
        const text = ['email,name,managerEmail', ...rows, 'top@x.io,Top,', 'ann@x.io,Ann,top@x.io'].join('\n');
        try {
          const answer = await api.expect(200, 'POST', '/v1/reps/import', text, { 'Content-Type': 'text/csv' });
          expect(answer.accepted).to.equal(2 + (accepted[name] ?? 0));
          expect(transactions).to.be.at.most(5);
        } finally {
          changes.run = run;
        }
      });

    it('rejects the rows that are left when member ids are passed on through many rows', async () => {
      const { api } = await service.workspace();
      const people = numbers
        .slice(0, 40)
        .map((index) => ({ email: `p${index}@x.io`, name: 'P', crmMemberId: `m${index}` }));
      await api.expect(200, 'PUT', '/v1/reps', {
        reps: [...people, { email: 'q@x.io', name: 'Q', crmMemberId: 'm40' }],
      });
      const rows = people.map(({ email }, index) => `${email},m${index + 1}`);
      const text = ['email,crmMemberId', ...rows].join('\n');
      const answer = await api.expect(200, 'POST', '/v1/reps/import', text, { 'Content-Type': 'text/csv' });
      expect(answer).to.include({ accepted: 0, rejected: 40 });
      const reasons = answer.results.map(({ reason }: { reason: string }) => reason);
      expect([reasons.at(-1), reasons[0]]).to.deep.equal([
        'crmMemberId: belongs to another rep',
        'other rows are invalid, and were rejected; send this row again',
      ]);
    });
  });
});
