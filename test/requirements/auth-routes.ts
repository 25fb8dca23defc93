import { expect } from 'chai';
import { rejects, unauthorized } from './rejections.js';
import { row } from './rows.js';
import { service } from './running-service.js';
import { expectError, type Person, World } from './world.js';

/** Section 4 of the specification, authentication routes. */
export function describeAuthRoutes(): void {
  describe('4: authentication routes', () => {
    let world: World;
    let ada: string;
    let adaToken: string;

    before(async () => {
      world = await World.create();
      const body = { reps: [{ email: `ada@${world.workspaceId}.test`, name: 'Ada', role: 'admin' }] };
      ada = (await world.admin.expect(200, 'PUT', '/v1/reps', body)).reps[0].id;
      adaToken = await service().token(world.workspaceId, 'sess', ada);
    });

    describeCodes(() => world);
    describeProfiles(() => ({ world, ada, adaToken }));
    describeIntegrationRoutes(() => world);
  });
}

function describeCodes(world: () => World): void {
  let session: { sessionToken: string; expiresAt: string; rep: { id: string } };
  let code: string;

  const verify = (body: object) => world().anyone.post('/auth/otp/verify', { email: world().email('ben'), ...body });

  row(177, 'otp/send returns 200 for a documented body, a second time too', async () => {
    const email = world().email('cat');
    for (let time = 0; time < 2; time += 1) {
      const answer = await world().anyone.expect(200, 'POST', '/auth/otp/send', { email });
      expect(answer).to.include({ sent: true });
    }
    await expectError('400 VALIDATION_FAILED', world().anyone.post('/auth/otp/send', { email: 'nobody' }));
  });

  row(181, 'a sign-in code has 6 digits', async () => {
    code = await service().codeFor(world().email('ben'));
    expect(code).to.match(/^[0-9]{6}$/);
  });

  row(178, 'otp/verify returns 200 with a sessionToken that signs in', async () => {
    const answer = await verify({ code });
    expect(answer.status).to.equal(200);
    session = answer.body;
    expect(session.rep).to.include({ id: world().ids.ben, email: world().email('ben'), role: 'rep' });
    const me = await service().client(session.sessionToken).expect(200, 'GET', '/auth/me');
    expect(me.repId).to.equal(world().ids.ben);
  });

  row(179, 'a session token has the prefix sess_', () => {
    expect(session.sessionToken).to.match(/^sess_[0-9A-Za-z]{20,}$/);
  });

  rejects(180, 'a used code is rejected with 401', 401, 'invalid_code', () => verify({ code }));

  row(210, 'verify with a malformed code is rejected', async () => {
    for (const malformed of ['12345', '1234567', 'abcdef', ''])
      await expectError('401 invalid_code', verify({ code: malformed }));
    await expectError('400 VALIDATION_FAILED', verify({ code: 123456 }));
  });
}

interface People {
  readonly world: World;
  readonly ada: string;
  readonly adaToken: string;
}

const persons: readonly (readonly [Person, number, number, string, string])[] = [
  ['mgr', 182, 183, 'Mia', 'manager'],
  ['ben', 184, 185, 'Ben', 'rep'],
  ['cat', 186, 187, 'Cat', 'rep'],
];

function describeProfiles(people: () => People): void {
  const workspaceOf = ({ workspaceId }: World) => ({ workspaceId, name: 'Acme', currency: 'USD', timezone: 'UTC' });

  for (const [person, status, me, name, role] of persons) {
    row(status, `GET /auth/status confirms the session of ${name} and returns its workspace`, async () => {
      const { world } = people();
      const answer = await world.client(person).expect(200, 'GET', '/auth/status');
      const { workspaceId, ids } = world;
      expect(answer).to.deep.include({ valid: true, workspaceId, kind: 'sess', role, repId: ids[person] });
    });

    row(me, `GET /auth/me gives repId, email, name, role and workspace of ${name}`, async () => {
      const { world } = people();
      const answer = await world.client(person).expect(200, 'GET', '/auth/me');
      expect(answer).to.deep.include({ repId: world.ids[person], email: world.email(person), name, role });
      expect(answer.workspace).to.deep.include(workspaceOf(world));
    });
  }

  row(188, 'GET /auth/status confirms the session of an admin and returns its workspace', async () => {
    const { world, ada, adaToken } = people();
    const answer = await service().client(adaToken).expect(200, 'GET', '/auth/status');
    const { workspaceId } = world;
    expect(answer).to.deep.include({ valid: true, workspaceId, kind: 'sess', role: 'admin', repId: ada });
  });

  row(189, 'GET /auth/me gives repId, email, name, role and workspace of an admin', async () => {
    const { world, ada, adaToken } = people();
    const answer = await service().client(adaToken).expect(200, 'GET', '/auth/me');
    const email = `ada@${world.workspaceId}.test`;
    expect(answer).to.deep.include({ repId: ada, email, name: 'Ada', role: 'admin' });
    expect(answer.workspace).to.deep.include(workspaceOf(world));
  });

  row(190, 'GET /auth/status confirms the API key and returns its workspace', async () => {
    const { world } = people();
    const answer = await world.get('/auth/status');
    const { workspaceId } = world;
    expect(answer).to.deep.include({ valid: true, workspaceId, kind: 'ws', role: 'admin', repId: null });
  });

  row(176, 'GET /auth/me gives the API key as an admin without a person, and its workspace', async () => {
    const { world } = people();
    const answer = await world.get('/auth/me');
    expect(answer).to.deep.include({ repId: null, email: null, role: 'admin' });
    expect(answer.name).to.be.a('string').and.not.equal('');
    expect(answer.workspace).to.deep.include(workspaceOf(world));
  });

  row(205, 'GET /auth/status confirms a connection token and returns its workspace', async () => {
    const { world } = people();
    const answer = await world.conn.expect(200, 'GET', '/auth/status');
    const { workspaceId } = world;
    expect(answer).to.deep.include({ valid: true, workspaceId, kind: 'conn', role: null, repId: null });
  });

  unauthorized(191, 'GET /auth/status', () => people().world.anyone.get('/auth/status'));

  row(192, 'GET /auth/status with a wrong token is 401', async () => {
    for (const token of ['nonsense', 'ws_wrong', `sess_${'a'.repeat(49)}`])
      await expectError('401 unauthorized', service().client(token).get('/auth/status'));
  });

  row(193, 'GET /auth/me without a valid token is 401', async () => {
    await expectError('401 unauthorized', people().world.anyone.get('/auth/me'));
    await expectError('401 unauthorized', service().client('sess_wrong').get('/auth/me'));
  });
}

const disconnects = [
  ['crma', 196, 197],
  ['crmb', 198, 199],
  ['crmc', 200, 201],
] as const;

function describeIntegrationRoutes(world: () => World): void {
  const path = '/auth/workspace/integrations';
  const toggle = '/auth/workspace/crmc/sync-enabled';

  row(194, 'GET /auth/workspace/integrations returns which CRMs are connected', async () => {
    const answer = await world().get(path);
    expect(answer).to.include({ crma: false, crmb: false, crmc: false });
    for (const one of answer.integrations) expect(one.connected).to.equal(false);
  });

  unauthorized(195, 'GET /auth/workspace/integrations', () => world().anyone.get(path));

  for (const [provider, done, rejected] of disconnects) {
    row(done, `POST disconnect-${provider} without a body is 200`, async () => {
      const answer = await world().admin.expect(200, 'POST', `/auth/workspace/disconnect-${provider}`);
      expect(answer).to.deep.equal({ disconnected: false, provider });
    });

    unauthorized(rejected, `POST disconnect-${provider}`, () =>
      world().anyone.post(`/auth/workspace/disconnect-${provider}`),
    );
  }

  row(202, 'POST crmc/sync-enabled sets the toggle', async () => {
    for (const enabled of [false, true]) {
      const answer = await world().admin.expect(200, 'POST', toggle, { enabled });
      expect(answer).to.deep.equal({ enabled });
    }
  });

  unauthorized(203, 'POST crmc/sync-enabled', () => world().anyone.post(toggle, { enabled: true }));

  row(204, 'POST crmc/sync-enabled with another body is 400', async () => {
    for (const body of [{}, { enabled: 'yes' }, { enabled: true, more: 1 }])
      await expectError('400 VALIDATION_FAILED', world().admin.post(toggle, body));
  });
}
