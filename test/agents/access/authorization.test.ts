import { expect } from 'chai';
import { FetchClient, listTools, seededWorkspace, toolCall } from '#test/mcp/mcp-fixture.js';
import { type ApiClient } from '#test/support/api-client.js';
import { expectError } from '#test/support/errors.js';
import { query } from '#test/support/ledger-checks.js';
import { Service } from '#test/support/service.js';
import { ClientProgram, forAgents, redirectUri, register } from './oauth-fixture.js';

describe('agents that people connect by signing in', () => {
  const service = Service.duringSuite(forAgents);
  let seeded: Awaited<ReturnType<typeof seededWorkspace>>;
  let mia: ApiClient;
  let ada: ApiClient;
  let ben: ApiClient;
  let program: ClientProgram;

  before(async () => {
    seeded = await seededWorkspace(service);
    const { workspaceId } = seeded;
    mia = await service.as(workspaceId, seeded.mia);
    ada = await service.as(workspaceId, seeded.ada);
    ben = await service.as(workspaceId, seeded.ben);
  });

  beforeEach(async () => {
    program = await ClientProgram.register(service.url);
  });

  const statusOf = async (token: string) => (await new FetchClient(service.url, token).post(listTools)).status;
  const get = async (path: string) => (await fetch(`${service.url}${path}`)).json();
  const agentsOf = async (person: ApiClient) => (await person.expect(200, 'GET', '/v1/agents')).agents;

  describe('discovery', () => {
    it('publishes the metadata of the endpoint at the root and at its path, and that of the server', async () => {
      const resource = await get('/.well-known/oauth-protected-resource');
      expect(resource).to.deep.include({
        resource: `${service.url}/v1/mcp`,
        authorization_servers: [service.url],
        scopes_supported: ['read', 'write'],
      });
      expect(await get('/.well-known/oauth-protected-resource/v1/mcp')).to.deep.equal(resource);
      const server = await get('/.well-known/oauth-authorization-server');
      expect(server).to.deep.include({
        issuer: service.url,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
      });
    });

    it('a 401 names the metadata and the scopes', async () => {
      const { status, headers } = await new FetchClient(service.url, null).post(listTools);
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.equal(
        `Bearer realm="mcp", scope="read write", resource_metadata="${service.url}/.well-known/oauth-protected-resource/v1/mcp"`,
      );
      const wrong = await new FetchClient(service.url, 'agt_wrong').post(listTools);
      expect(wrong.headers.get('www-authenticate')).to.include('error="invalid_token"');
    });

    it('is off without an https address, and keys in the header always work', async () => {
      const plain = await Service.start({ settings: { PUBLIC_URL: 'http://pay.acme.test' } });
      try {
        for (const path of ['/.well-known/oauth-protected-resource', '/oauth/authorize'])
          expect((await fetch(`${plain.url}${path}`)).status, path).to.equal(404);
      } finally {
        await plain.stop();
      }
      expect(await statusOf(seeded.apiKey)).to.equal(200);
    });
  });

  describe('consent', () => {
    it('shows the program, where the browser returns and the scopes, to a person who is signed in', async () => {
      const request = encodeURIComponent(await program.pending());
      const shown = await mia.expect(200, 'GET', `/v1/agents/request?request=${request}`);
      expect(shown).to.deep.include({
        clientName: 'Agent',
        clientAddress: null,
        returnsTo: '127.0.0.1:5173',
        isOnThisMachine: true,
        scopes: ['read', 'write'],
      });
      await expectError('409 no_person', seeded.api.get(`/v1/agents/request?request=${request}`));
    });

    it('a denied request returns access_denied with state and issuer, and connects nothing', async () => {
      const before = await agentsOf(mia);
      const body = { request: await program.pending(), decision: 'deny' };
      const { redirectTo } = await mia.expect(200, 'POST', '/v1/agents/request', body);
      expect(redirectTo).to.equal(
        `${redirectUri}?error=access_denied&state=st4te&iss=${encodeURIComponent(service.url)}`,
      );
      expect(await agentsOf(mia)).to.deep.equal(before);
    });

    it('a request that the service has not made is rejected', async () => {
      const request = `${(await program.pending()).slice(0, -2)}AA`;
      const decided = mia.post('/v1/agents/request', { request, decision: 'allow' });
      await expectError('410 agent_request_expired', decided);
    });

    it('a person cannot permit more than was requested', async () => {
      const request = await program.pending({ scope: 'read' });
      const decision = { request, decision: 'allow', scopes: ['write'] };
      await expectError('400 VALIDATION_FAILED', mia.post('/v1/agents/request', decision));
    });
  });

  describe('tokens', () => {
    it('act as the person: their role, rep and workspace', async () => {
      const { access_token, expires_in, scope } = await program.connect(mia);
      expect({ expires_in, scope }).to.deep.equal({ expires_in: 3600, scope: 'read write' });
      const { body } = await new FetchClient(service.url, access_token).post(toolCall('get_workspace'));
      expect(body.result.structuredContent).to.deep.include({
        workspaceId: seeded.workspaceId,
        caller: { kind: 'agt', role: 'manager', repId: seeded.mia, name: 'Mia' },
      });
    });

    it('are valid for the MCP endpoint only', async () => {
      const { access_token } = await program.connect(mia);
      const { status, body } = await service.client(access_token).get('/v1/plans');
      expect(status).to.equal(401);
      expect(body.message).to.equal('The token of an agent works at /v1/mcp only.');
    });

    it('end with the session rights of the person: a deactivated person has no agents', async () => {
      const [repId] = await seeded.api.saveReps('Eve');
      const eve = await service.as(seeded.workspaceId, repId);
      const { access_token, refresh_token } = await program.connect(eve);
      await seeded.api.expect(200, 'PATCH', `/v1/reps/${repId}`, { active: false });
      expect(await statusOf(access_token)).to.equal(401);
      expect((await program.refresh(refresh_token)).body.error).to.equal('invalid_grant');
    });

    it('of a read agent list the tools that read, and answer 403 insufficient_scope for one that changes data', async () => {
      const { access_token } = await program.connect(ada, ['read']);
      const agent = new FetchClient(service.url, access_token);
      expect((await agent.post(toolCall('list_plans'))).status).to.equal(200);
      for (const body of [toolCall('create_plan', { name: 'x' }), [toolCall('list_plans'), toolCall('delete_plan')]]) {
        const { status, headers, body: answer } = await agent.post(body);
        expect(`${status} ${answer.code}`).to.equal('403 insufficient_scope');
        expect(headers.get('www-authenticate')).to.match(/error="insufficient_scope", scope="read write"/);
      }
      const tools = await agent.tools();
      expect(tools.map(({ name }) => name)).to.include('list_plans');
      expect(tools.filter(({ annotations }) => !annotations.readOnlyHint)).to.deep.equal([]);
    });

    it('are rejected when they were issued for another address', async () => {
      const { access_token, refresh_token } = await program.connect(mia);
      await query(service.database.ownerUrl, `update agent_connections set audience = 'https://other.test/v1/mcp'`);
      expect(await statusOf(access_token)).to.equal(401);
      expect((await program.refresh(refresh_token)).body.error).to.equal('invalid_grant');
    });

    it('are stored as hashes only', async () => {
      const { access_token, refresh_token } = await program.connect(mia);
      const tables = ['tokens', 'agent_grants', 'agent_connections', 'audit_runs', 'audit_entries'];
      for (const table of tables) {
        const rows = await query<{ text: string }>(service.database.ownerUrl, `select t::text as text from ${table} t`);
        for (const secret of [access_token, refresh_token])
          expect(
            rows.filter(({ text }) => text.includes(secret.slice(4))),
            table,
          ).to.deep.equal([]);
      }
    });

    it('the audit log names the person and the program', async () => {
      const { access_token } = await program.connect(ada);
      await seeded.api.expect(200, 'PATCH', '/v1/workspaces', { agentWrites: 'allow' });
      await new FetchClient(service.url, access_token).post(toolCall('recalculate_commissions', { repId: seeded.ben }));
      const rows = await query<{ actor: string }>(
        service.database.ownerUrl,
        `select actor from jobs where actor like 'mcp:rep:%'`,
      );
      expect(rows).to.deep.include({ actor: `mcp:rep:${seeded.ada} via Agent` });
    });
  });

  describe('codes', () => {
    it('a code that is used twice is rejected, and ends what the first use issued', async () => {
      const code = await program.code(mia);
      const { body: tokens } = await program.exchange(code);
      expect(await statusOf(tokens.access_token)).to.equal(200);
      const again = await program.exchange(code);
      expect(`${again.status} ${again.body.error}`).to.equal('400 invalid_grant');
      expect(await statusOf(tokens.access_token)).to.equal(401);
    });

    it('a code needs its verifier, its redirect URI, its client and its resource', async () => {
      const stranger = await ClientProgram.register(service.url);
      const attempts: readonly (readonly [string, ClientProgram, Record<string, string>])[] = [
        ['invalid_grant', program, { code_verifier: stranger.verifier }],
        ['invalid_grant', program, { redirect_uri: 'http://127.0.0.1:5173/other' }],
        ['invalid_grant', stranger, { code_verifier: program.verifier }],
        ['invalid_target', program, { resource: 'https://other.test/v1/mcp' }],
      ];
      for (const [error, client, change] of attempts) {
        const { status, body } = await client.exchange(await program.code(mia), change);
        expect(`${status} ${body.error}`, JSON.stringify(change)).to.equal(`400 ${error}`);
      }
    });

    it('a code expires after two minutes', async () => {
      const code = await program.code(mia);
      await query(service.database.ownerUrl, `update agent_grants set expires_at = now() where kind = 'code'`);
      expect((await program.exchange(code)).body.error).to.equal('invalid_grant');
    });
  });

  describe('refresh tokens', () => {
    it('rotate: each works once, and the new tokens work', async () => {
      const first = await program.connect(mia);
      const { body: second } = await program.refresh(first.refresh_token);
      expect(second.refresh_token).not.to.equal(first.refresh_token);
      expect(await statusOf(second.access_token)).to.equal(200);
      expect((await program.refresh(second.refresh_token)).status).to.equal(200);
    });

    it('a refresh token that is used twice ends the connection with all of its tokens', async () => {
      const first = await program.connect(mia);
      const { body: second } = await program.refresh(first.refresh_token);
      const reused = await program.refresh(first.refresh_token);
      expect(`${reused.status} ${reused.body.error}`).to.equal('400 invalid_grant');
      expect(await statusOf(second.access_token)).to.equal(401);
      expect((await program.refresh(second.refresh_token)).body.error).to.equal('invalid_grant');
    });

    it('two simultaneous uses issue tokens at most once', async () => {
      const { refresh_token } = await program.connect(mia);
      const answers = await Promise.all(Array.from({ length: 5 }, () => program.refresh(refresh_token)));
      expect(answers.filter(({ status }) => status === 200)).to.have.length.at.most(1);
    });

    it('of another client, or with scopes that the person did not permit, are rejected', async () => {
      const stranger = await ClientProgram.register(service.url);
      const { refresh_token } = await program.connect(mia, ['read']);
      expect((await stranger.refresh(refresh_token)).body.error).to.equal('invalid_grant');
      expect((await program.refresh(refresh_token, { scope: 'read write' })).body.error).to.equal('invalid_grant');
    });
  });

  describe('authorization requests', () => {
    it('a foreign redirect URI is rejected without a redirect', async () => {
      for (const foreign of ['https://evil.test/callback', 'http://127.0.0.1:5173/other', `${redirectUri}?x=1`]) {
        const response = await program.authorize({ redirect_uri: foreign });
        expect(response.status, foreign).to.equal(400);
        expect(response.headers.get('location')).to.equal(null);
        expect(await response.json()).to.include({ error: 'invalid_request' });
      }
    });

    it('another port of this machine is allowed, since programs listen on a free one', async () => {
      expect((await program.authorize({ redirect_uri: 'http://127.0.0.1:9999/callback' })).status).to.equal(302);
    });

    for (const [name, change, error] of [
      ['another resource', { resource: 'https://other.test/v1/mcp' }, 'invalid_target'],
      ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
      ['a challenge that is not SHA-256', { code_challenge: 'short' }, 'invalid_request'],
      ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
      ['another response type', { response_type: 'token' }, 'invalid_request'],
    ] as const)
      it(`${name} returns ${error} with state and issuer`, async () => {
        const response = await program.authorize(change);
        const returned = new URL(response.headers.get('location') ?? '').searchParams;
        expect([returned.get('error'), returned.get('state'), returned.get('iss')]).to.deep.equal([
          error,
          'st4te',
          service.url,
        ]);
      });

    it('an unknown client is rejected without a redirect', async () => {
      const response = await new ClientProgram(service.url, 'nobody').authorize();
      expect(response.status).to.equal(400);
      expect(await response.json()).to.include({ error: 'invalid_client' });
    });
  });

  describe('clients', () => {
    it('a metadata document on a private address is not fetched', async () => {
      for (const address of [
        'https://10.0.0.5/client.json',
        'https://169.254.169.254/latest/meta-data',
        'https://[fd00::1]/client.json',
        'http://192.168.1.1/client.json',
      ]) {
        const response = await new ClientProgram(service.url, address).authorize();
        expect(response.status, address).to.equal(400);
        const { error, error_description } = (await response.json()) as { error: string; error_description: string };
        expect(error).to.equal('invalid_client');
        expect(error_description).to.match(/must be a public address|must begin with https/);
      }
    });

    for (const [name, metadata, error] of [
      ['without a redirect URI', { redirect_uris: [] }, 'invalid_redirect_uri'],
      ['with an http address of another machine', { redirect_uris: ['http://evil.test/x'] }, 'invalid_redirect_uri'],
      ['with a fragment', { redirect_uris: ['https://a.test/#x'] }, 'invalid_redirect_uri'],
      ['with a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_client_metadata'],
      ['with a file', { redirect_uris: ['file:///etc/passwd'] }, 'invalid_redirect_uri'],
    ] as const)
      it(`a registration ${name} is rejected`, async () => {
        const { status, body } = await register(service.url, metadata);
        expect(`${status} ${body.error}`).to.equal(`400 ${error}`);
      });

    it('registration never issues a secret', async () => {
      const { body } = await register(service.url, {
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      });
      expect(body).to.include({ token_endpoint_auth_method: 'none' }).and.not.have.property('client_secret');
    });

    it('a client of the configuration needs its secret', async () => {
      const secret = 's'.repeat(32);
      const client = { client_id: 'erp', client_name: 'ERP', redirect_uris: [redirectUri], client_secret: secret };
      const configured = await Service.start({
        ...forAgents,
        settings: { ...forAgents.settings, MCP_CLIENTS: JSON.stringify([client]) },
      });
      try {
        const made = await seededWorkspace(configured);
        const person = await configured.as(made.workspaceId, made.ada);
        const erp = new ClientProgram(configured.url, 'erp');
        const code = await erp.code(person);
        expect((await erp.exchange(code)).body.error).to.equal('invalid_client');
        expect((await erp.exchange(code, { client_secret: secret })).status).to.equal(200);
      } finally {
        await configured.stop();
      }
    });
  });

  describe('disconnecting', () => {
    it('people see and end their own agents, admins those of everyone', async () => {
      const { access_token } = await program.connect(mia);
      const [agent] = await agentsOf(mia);
      expect(agent).to.include({ clientName: 'Agent', personName: 'Mia', repId: seeded.mia });
      expect((await agentsOf(ben)).map(({ id }: { id: string }) => id)).not.to.include(agent.id);
      expect((await agentsOf(ada)).map(({ id }: { id: string }) => id)).to.include(agent.id);
      expect((await ben.delete(`/v1/agents/${agent.id}`)).status).to.equal(404);
      expect(await statusOf(access_token)).to.equal(200);
      await ada.expect(200, 'DELETE', `/v1/agents/${agent.id}`);
      expect(await statusOf(access_token)).to.equal(401);
    });

    it('the program revokes its refresh token, and with it the access token', async () => {
      const { access_token, refresh_token } = await program.connect(mia);
      const stranger = await ClientProgram.register(service.url);
      expect(await stranger.revoke(refresh_token)).to.equal(200);
      expect(await statusOf(access_token)).to.equal(200);
      expect(await program.revoke(refresh_token)).to.equal(200);
      expect(await statusOf(access_token)).to.equal(401);
      expect(await program.revoke('unknown')).to.equal(200);
    });

    it('an access token can be revoked alone', async () => {
      const { access_token, refresh_token } = await program.connect(mia);
      await program.revoke(access_token);
      expect(await statusOf(access_token)).to.equal(401);
      expect((await program.refresh(refresh_token)).status).to.equal(200);
    });
  });
});
