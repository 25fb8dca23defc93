import { expect } from 'chai';
import { Notifications } from '#src/outgoing/notifications/notifications.js';
import { WeeklyDigest } from '#src/outgoing/notifications/weekly-digest.js';
import { Service } from '#test/support/service.js';

describe('keys of people who are no admins any more', () => {
  const service = Service.duringSuite({
    settings: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'pay@example.com', PUBLIC_URL: 'https://pay.test' },
  });

  it('are listed by what ends their rights, and in the weekly mail to admins', async () => {
    const workspace = await service.workspace();
    const { api } = workspace;
    const [ada, , ben] = await api.saveReps(
      { name: 'Ada', role: 'admin' },
      { name: 'Amy', role: 'admin' },
      { name: 'Ben' },
    );
    const asAda = await workspace.as(ada);
    await asAda.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'BI', scopes: ['read'] });
    await asAda.expect(201, 'POST', '/v1/workspaces/integration-keys', { name: 'Old', scopes: ['read'] });
    await workspace.sql(`update tokens set expires_at = now() where workspace_id = $1 and label = 'Old'`);
    const patch = (repId: string, change: object) => api.expect(200, 'PATCH', `/v1/reps/${repId}`, change);
    expect((await patch(ben, { active: false })).validKeys).to.deep.equal([]);
    expect(await patch(ada, { active: true })).to.not.have.property('validKeys');
    await workspace.sql(
      `insert into scheduled_imports (workspace_id, scheduled_import_id, name, subject, source, options, every, at_time,
         revision, confirmed_by, confirmed_at, next_run_at)
       values ($1, gen_random_uuid(), 'Bookings', 'deals', '{"kind":"url","url":"https://a.test"}', '{}', 'day', '06:30',
         gen_random_uuid(), '${ada}', now(), now() + interval '1 day')`,
    );
    const listed = [
      { kind: 'integration', name: 'BI', createdBy: ada },
      { kind: 'scheduled_import', name: 'Bookings', createdBy: ada },
    ];
    const without = ({ validKeys }: { validKeys: { id: string }[] }) => validKeys.map(({ id: _, ...key }) => key);
    expect(without(await patch(ada, { active: false }))).to.deep.equal(listed);
    expect(without(await patch(ada, { active: true, role: 'rep' }))).to.deep.equal(listed);
    const reps = [{ email: 'ada@x.io', name: 'Ada', active: false }];
    expect(without(await api.expect(200, 'PUT', '/v1/reps', { reps }))).to.deep.equal(listed);

    await patch(ben, { active: true, role: 'manager' });
    const { unitOfWork, log } = service.running.service;
    const notifications = service.running.service.parts.resolve(Notifications);
    const clock = { now: () => new Date('2026-02-16T12:00:00Z') };
    await new WeeklyDigest(unitOfWork, notifications, clock, log).run();
    const textOf = async (email: string) => (await service.mailsTo(email)).at(-1)?.text ?? '';
    const mail = await textOf('amy@x.io');
    expect(mail).to.contain('API keys of people who are no admins any more: BI.');
    expect(mail.replace(/\s+/g, ' ')).to.contain('confirmed by people who are no admins any more: Bookings.');
    expect(await textOf('ben@x.io'))
      .to.contain('Earned in')
      .and.not.to.contain('BI');
  });

  it('are listed beside the people who still report to a deactivated manager', async () => {
    const { api } = await service.workspace();
    const [mia, ben, cleo, zoe] = await api.saveReps(
      { name: 'Mia', role: 'manager' },
      { name: 'Ben' },
      { name: 'Cleo' },
      { name: 'Zoe' },
    );
    const patch = (repId: string, change: object) => api.expect(200, 'PATCH', `/v1/reps/${repId}`, change);
    for (const repId of [ben, cleo, zoe]) await patch(repId as string, { managerId: mia });
    expect(await patch(zoe, { active: false })).to.not.have.property('reports');
    const reps = [{ email: 'mia@x.io', name: 'Mia', active: false }];
    const { reports } = await api.expect(200, 'PUT', '/v1/reps', { reps });
    expect(reports).to.deep.equal([{ managerId: mia, count: 2 }]);
  });
});
