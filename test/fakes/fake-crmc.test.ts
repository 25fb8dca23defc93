import { createHash } from 'node:crypto';
import { expect } from 'chai';
import jsforce from 'jsforce';
import { FakeCrmc } from '#fakes/fake-crmc.js';

/** The vendor's client is independent of the adapter, so a format that it accepts is correct on the wire. */
describe("the fake crm-c with the vendor's own client", () => {
  let now: number;
  let crm: FakeCrmc;

  beforeEach(async () => {
    now = Date.now();
    crm = await FakeCrmc.start({ now: () => now });
  });

  afterEach(() => crm.stop());

  function connection(accessToken = crm.oauth.issue().accessToken) {
    return new jsforce.Connection({ instanceUrl: crm.url, accessToken, version: '67.0' });
  }

  it('returns pages of rows, with deleted rows on request', async () => {
    const ids = Array.from({ length: 2500 }, () => crm.addDeal());
    crm.deleteDeal(ids[0] as string);
    const client = connection();
    const first = await client.query('SELECT Id, Name FROM Opportunity ORDER BY Id ASC', { scanAll: true });
    expect(first).to.include({ totalSize: 2500, done: false });
    expect(first.records).to.have.length(2000);
    const rest = await client.queryMore(first.nextRecordsUrl as string);
    expect(rest.done).to.equal(true);
    expect([...first.records, ...rest.records].map((row) => row['Id'])).to.deep.equal(ids);
    const live = await client.query('SELECT Id FROM Opportunity');
    expect(live.totalSize).to.equal(2499);
    expect(client.limitInfo).to.deep.equal({ apiUsage: { used: 3, limit: 100_000 } });
  });

  it('describes its objects', async () => {
    const described = await connection().sobject('Opportunity').describe();
    expect(described.fields.find((field) => field.name === 'StageName')?.picklistValues?.[0]).to.include({
      active: true,
      value: 'Prospecting',
    });
  });

  it('lists updated and deleted rows', async () => {
    const [remaining, purged] = [crm.addDeal(), crm.addDeal()] as [string, string];
    crm.purgeDeal(purged);
    const late = crm.addLateDeal();
    now += 10 * 60_000;
    const opportunities = connection().sobject('Opportunity');
    const [start, end] = [new Date(now - 20 * 60_000), new Date(now)];
    const updated = await opportunities.updated(start, end);
    expect(updated.ids).to.deep.equal([remaining]);
    expect(Date.parse(updated.latestDateCovered)).to.be.at.most(now - 10 * 60_000);
    expect((await opportunities.deleted(start, end)).deletedRecords.map(({ id }) => id)).to.deep.equal([purged]);
    late.commit();
    expect((await opportunities.updated(start, end)).ids).to.deep.equal([remaining, late.id]);
  });

  it('rejects queries with the error codes of the vendor', async () => {
    const client = connection();
    const rejections: readonly [string, string][] = [
      ['SELECT Nothing__c FROM Opportunity', 'INVALID_FIELD'],
      ['SELECT Id FROM Nothing', 'INVALID_TYPE'],
      ["SELECT Id FROM Opportunity WHERE Id = 'a' OR Id = 'b' AND Name = 'c'", 'MALFORMED_QUERY'],
      ["SELECT Id FROM Opportunity WHERE SystemModstamp >= '2026-01-01T00:00:00Z'", 'INVALID_FIELD'],
      ['SELECT Id, Id FROM Opportunity', 'INVALID_FIELD'],
      ['SELECT Parent.Name FROM Opportunity', 'INVALID_FIELD'],
      ['SELECT FIELDS(ALL) FROM Opportunity', 'MALFORMED_QUERY'],
      ['SELECT StageName, COUNT(Id) FROM Opportunity', 'MALFORMED_QUERY'],
      [`SELECT Id FROM User WHERE ${Array(501).fill("Name = 'a'").join(' OR ')}`, 'QUERY_TOO_COMPLICATED'],
      ['SELECT Id FROM Opportunity -- all', 'MALFORMED_QUERY'],
    ];
    for (const [query, errorCode] of rejections) expect(await codeOf(client.query(query)), query).to.equal(errorCode);
    expect(await codeOf(client.queryMore('/services/data/v67.0/query/01gRO-2000'))).to.equal('INVALID_QUERY_LOCATOR');
    expect(await codeOf(connection('dead').query('SELECT Id FROM User'))).to.equal('INVALID_SESSION_ID');
    crm.requestsPerDay = 0;
    expect(await codeOf(client.query('SELECT Id FROM User'))).to.equal('REQUEST_LIMIT_EXCEEDED');
    const now30 = new Date(now - 40 * 86_400_000);
    crm.requestsPerDay = 100;
    expect(await codeOf(client.sobject('Opportunity').updated(now30, new Date(now)))).to.equal(
      'INVALID_REPLICATION_DATE',
    );
  });

  it('counts, groups, limits and follows relationships', async () => {
    const ada = crm.addUser({ Name: 'Ada' });
    crm.rows.set('Account', [{ Id: '001RO0000000001YAA', Name: 'Acme' }]);
    for (const Amount of [10, 20, 30])
      crm.addDeal({ Amount, OwnerId: ada, AccountId: '001RO0000000001YAA', StageName: 'Closed Won' });
    crm.addDeal({ Amount: 1 });
    const client = connection();
    const rowsOf = async (soql: string) =>
      (await client.query(soql)).records.map(({ attributes: _, ...row }) => JSON.parse(JSON.stringify(row)));
    expect((await client.query('SELECT COUNT() FROM Opportunity')).totalSize).to.equal(4);
    expect(
      await rowsOf('SELECT StageName, SUM(Amount) total, COUNT(Id) FROM Opportunity GROUP BY StageName'),
    ).to.have.deep.members([
      { StageName: 'Closed Won', total: 60, expr0: 3 },
      { StageName: 'Prospecting', total: 1, expr0: 1 },
    ]);
    expect(
      await rowsOf(
        "SELECT Amount, Owner.Name, Account.Name FROM Opportunity WHERE NOT (StageName = 'Prospecting') AND Amount > 10 ORDER BY Amount DESC LIMIT 1",
      ),
    ).to.deep.equal([{ Amount: 30, Owner: { Name: 'Ada' }, Account: { Name: 'Acme' } }]);
    expect(await rowsOf('SELECT convertCurrency(Amount) FROM Opportunity WHERE Amount < 10')).to.deep.equal([
      { Amount: 1 },
    ]);
    const [all] = await rowsOf('SELECT FIELDS(ALL) FROM Opportunity LIMIT 1');
    expect(all).to.include.keys('Id', 'ARR__c', 'StageName');
    const owned = "SELECT Id FROM Opportunity WHERE OwnerId IN (SELECT Id FROM User WHERE Name LIKE 'A%')";
    expect((await client.query(owned)).totalSize).to.equal(3);
  });

  it('hides rows from a user without access to them, on every way to read them', async () => {
    const [seen, hidden] = [crm.addDeal(), crm.addDeal()];
    crm.hiddenDeals.add(hidden);
    const client = connection();
    expect((await client.query('SELECT Id FROM Opportunity', { scanAll: true })).records).to.have.length(1);
    expect((await client.sobject('Opportunity').retrieve(seen))['Name']).to.equal('Acme renewal');
    const failure = await client
      .sobject('Opportunity')
      .retrieve(hidden)
      .catch((error: unknown) => error);
    expect(failure).to.have.property('errorCode', 'NOT_FOUND');
    now += 10 * 60_000;
    const updated = await client.sobject('Opportunity').updated(new Date(now - 20 * 60_000), new Date(now));
    expect(updated.ids).to.deep.equal([seen]);
  });

  it('may return fewer rows than requested, and returns limits, identity and errors as JSON', async () => {
    for (let count = 0; count < 5; count++) crm.addDeal();
    crm.maxRowsPerPage = 2;
    const client = connection();
    const first = await client.query('SELECT Id FROM Opportunity');
    expect([first.records.length, first.totalSize, first.done]).to.deep.equal([2, 5, false]);
    expect((await client.limits())['DailyApiRequests']).to.deep.equal({ Max: 100_000, Remaining: 99_998 });
    expect(await client.request<{ identity: string }>('/')).to.have.property('identity');
    expect(await codeOf(client.request('/sobjects/Nothing/describe'))).to.equal('NOT_FOUND');
    const old = new jsforce.Connection({
      instanceUrl: crm.url,
      accessToken: crm.oauth.issue().accessToken,
      version: '20.0',
    });
    expect(await codeOf(old.query('SELECT Id FROM User'))).to.equal('UNSUPPORTED_API_VERSION');
  });

  it('issues tokens of an organisation only at its login host and its own host', async () => {
    const other = await FakeCrmc.start({ now: () => now, orgId: '00DSB0000005678AAA' });
    try {
      const refreshAt = (loginUrl: string) => {
        const { refreshToken } = crm.oauth.issue();
        const client = new jsforce.OAuth2({ loginUrl, clientId: 'crmc-client', clientSecret: 'crmc-secret' });
        return client.refreshToken(`${refreshToken}`).then(
          () => 'renewed',
          (error: Error) => error.message,
        );
      };
      for (const host of [crm.loginUrl, crm.url]) expect(await refreshAt(host)).to.equal('renewed');
      for (const host of [other.loginUrl, other.url])
        expect(await refreshAt(host)).to.equal('expired access/refresh token');
    } finally {
      await other.stop();
    }
  });

  it('exchanges a code and its verifier for tokens, and rotates them', async () => {
    const oauth2 = new jsforce.OAuth2({
      loginUrl: crm.loginUrl,
      clientId: 'crmc-client',
      clientSecret: 'crmc-secret',
      redirectUri: 'http://127.0.0.1:9/callback',
    });
    const verifier = 'a verifier of at least forty-three characters, as it must be';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const address = oauth2.getAuthorizationUrl({
      scope: 'api refresh_token',
      state: 'state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const back = await fetch(address, { redirect: 'manual' });
    const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const token = await oauth2.requestToken(code, { code_verifier: verifier });
    expect(token).to.include({ instance_url: crm.url, token_type: 'Bearer' });
    const renewed = await oauth2.refreshToken(token.refresh_token as string);
    expect(renewed.refresh_token).to.be.a('string').and.not.equal(token.refresh_token);
    const again = await oauth2.refreshToken(token.refresh_token as string).then(
      () => 'renewed',
      (error: Error) => error.message,
    );
    expect(again).to.equal('expired access/refresh token');
    const client = connection(renewed.access_token);
    await oauth2.revokeToken(renewed.access_token);
    expect(await codeOf(client.query('SELECT Id FROM User'))).to.equal('INVALID_SESSION_ID');
  });

  it("delivers each save in one call with the admin's secret", async () => {
    const id = crm.addDeal();
    const flow = crm.flow({ targetUrl: 'http://127.0.0.1:9/webhooks/crmc', secret: 'shared' });
    flow.add(id, id);
    expect(flow.take()).to.deep.equal(
      Array(2).fill({
        targetUrl: 'http://127.0.0.1:9/webhooks/crmc',
        headers: { Authorization: 'Bearer shared' },
        body: JSON.stringify({ opportunityId: id, organizationId: crm.orgId, event: 'updated' }),
      }),
    );
  });

  async function codeOf(work: PromiseLike<unknown>): Promise<string> {
    return work.then(
      () => 'no error',
      (error: { errorCode?: string }) => error.errorCode ?? 'no code',
    );
  }
});
