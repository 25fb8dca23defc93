import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type Delivery } from '#fakes/deliveries.js';
import { FakeCrma } from '#fakes/fake-crma.js';
import { FakeCrmb } from '#fakes/fake-crmb.js';
import { FakeServer } from '#fakes/fake-server.js';
import { crmaAdapter } from '#src/crm/adapters/crma/adapter.js';
import { readCrmaDelivery, verifyCrmaSignature } from '#src/crm/adapters/crma/webhook.js';
import { type CrmbRequest, readCrmbDelivery, verifyCrmbSignature } from '#src/crm/adapters/crmb/webhook.js';
import { Failure } from '#src/kernel/failure.js';
import { StoredAccess, tokenOnly } from './crm-access.js';

describe('webhooks of crm-a', () => {
  const secret = 'attio-secret';
  const printed =
    '{"webhook_id":"23e42eaf-323a-41da-b5bb-fd67eebda553","events":[{"event_type":"record.updated","id":{"workspace_id":"14beef7a-99f7-4534-a87e-70b564330a4c","object_id":"97052eb9-e65e-443f-a297-f2d9a4a7f795","record_id":"bf071e1f-6035-429d-b874-d83ea64ea13b","attribute_id":"41252299-f8c7-4b5e-99c9-4ff8321d2f96"},"actor":{"type":"workspace-member","id":"50cf242c-7fa3-4cad-87d0-75b1af71c57b"}}]}';
  const signature = '21161f959ddbaa0aa4cd9d10be26247fee42bafa5bcc26025190f731dc608266';
  const merged =
    '{"webhook_id":"w","events":[{"event_type":"record.merged","id":{"record_id":"remaining"},"duplicate_object_id":"o","duplicate_record_id":"dup"}]}';

  it('are signed over the bytes of the body', () => {
    const verify = (body: string, header: string | undefined, key = secret) =>
      verifyCrmaSignature(key, Buffer.from(body), header);
    expect(verify(printed, signature)).to.equal(true);
    expect(verify(printed, signature.toUpperCase())).to.equal(true);
    expect(verify(`${printed} `, signature)).to.equal(false);
    expect(verify(printed, signature, 'another')).to.equal(false);
    const wrong = [undefined, '', 'x', signature.slice(2), `${signature}00`, `0${signature.slice(1)}`, 'é'.repeat(64)];
    for (const header of wrong) expect(verify(printed, header), String(header)).to.equal(false);
  });

  it('name the changed deal, with one key for all repetitions of a delivery', () => {
    const { webhookId, hints } = readCrmaDelivery(JSON.parse(printed), 'key-1');
    expect(webhookId).to.equal('23e42eaf-323a-41da-b5bb-fd67eebda553');
    expect(hints).to.deep.equal([
      {
        dealId: 'bf071e1f-6035-429d-b874-d83ea64ea13b',
        accountId: null,
        change: 'changed',
        occurredAt: null,
        key: 'key-1:0',
        values: {},
        property: '41252299-f8c7-4b5e-99c9-4ff8321d2f96',
      },
    ]);
    const keyOf = (idempotencyKey?: string) => readCrmaDelivery(JSON.parse(printed), idempotencyKey).hints[0]?.key;
    expect(keyOf('key-1')).to.equal('key-1:0');
    expect(keyOf('key-2')).not.to.equal(keyOf('key-1'));
    expect(keyOf()).not.to.equal(keyOf());
  });

  it('report a merge as one changed and one deleted deal', () => {
    const { hints } = readCrmaDelivery(JSON.parse(merged), 'k');
    expect(hints.map(({ dealId, change, key }) => [dealId, change, key])).to.deep.equal([
      ['remaining', 'changed', 'k:0'],
      ['dup', 'deleted', 'k:0:duplicate'],
    ]);
  });

  it('are read event by event without events of other objects', () => {
    const event = (event_type: string, record_id: string) => ({ event_type, id: { record_id } });
    const events = [
      event('record.created', 'a'),
      event('record.deleted', 'b'),
      event('note.created', 'c'),
      { event_type: 'list-entry.updated', id: {} },
      'odd',
    ];
    const { hints } = readCrmaDelivery({ webhook_id: 'w', events }, 'k');
    expect(hints.map(({ dealId, change, key }) => [dealId, change, key])).to.deep.equal([
      ['a', 'changed', 'k:0'],
      ['b', 'deleted', 'k:1'],
    ]);
  });

  it('are rejected if their shape is unexpected', () => {
    for (const json of [null, [], 'x', {}, { webhook_id: 'w' }, { webhook_id: 'w', events: Array(501).fill({}) }])
      expect(() => readCrmaDelivery(json, 'k'))
        .to.throw(Failure)
        .with.property('code', 'VALIDATION_FAILED');
  });

  describe('from the fake', () => {
    let crm: FakeCrma;
    let secretOf: string;

    beforeEach(async () => {
      crm = await FakeCrma.start();
      const adapter = crmaAdapter(crm.settings);
      const access = new StoredAccess(adapter, tokenOnly(crm.oauth.issue().accessToken));
      const registered = await adapter.account(access).registerWebhook(`${crm.server.url}/inbox`);
      secretOf = registered?.secret ?? '';
    });

    afterEach(() => crm.stop());

    const read = ({ body, headers }: Delivery) => {
      expect(verifyCrmaSignature(secretOf, Buffer.from(body), headers['Attio-Signature'])).to.equal(true);
      return readCrmaDelivery(JSON.parse(body), headers['Idempotency-Key']).hints;
    };

    it('verify, with one event per changed field and several events per body', () => {
      const id = crm.addDeal({ name: 'One' });
      crm.closeDeal(id, '2026-11-21');
      crm.eventsPerDelivery = 2;
      const deliveries = crm.takeDeliveries();
      expect(deliveries).to.have.length(2);
      const hints = deliveries.flatMap(read);
      expect(hints.map(({ dealId, change }) => [dealId, change])).to.deep.equal(Array(3).fill([id, 'changed']));
      expect(new Set(hints.map(({ key }) => key)).size).to.equal(3);
    });

    it('report both kinds of merges', () => {
      const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => crm.addDeal({ name })) as [
        string,
        string,
        string,
        string,
      ];
      crm.takeDeliveries();
      crm.merge(a, b);
      const id = crm.mergeIntoNew(c, d);
      expect(
        crm
          .takeDeliveries()
          .flatMap(read)
          .map(({ dealId, change }) => [dealId, change]),
      ).to.deep.equal([
        [a, 'changed'],
        [b, 'deleted'],
        [id, 'changed'],
        [c, 'deleted'],
        [id, 'changed'],
        [d, 'deleted'],
      ]);
    });

    it('are repeated under the same key until they are accepted', async () => {
      const inbox = new FakeServer();
      const keys: unknown[] = [];
      inbox.app.post('/inbox', (request, response) => {
        keys.push(request.headers['idempotency-key']);
        response.status(keys.length === 1 ? 503 : 202).end();
      });
      await inbox.start();
      const adapter = crmaAdapter(crm.settings);
      const access = new StoredAccess(adapter, tokenOnly(crm.oauth.issue().accessToken));
      await adapter.account(access).registerWebhook(`${inbox.url}/inbox`);
      crm.addDeal({ name: 'One' });
      for (let round = 0; round < 3; round++) await crm.flush();
      await inbox.stop();
      expect(keys).to.have.length(2);
      expect(keys[0]).to.equal(keys[1]);
    });
  });
});

describe('webhooks of crm-b', () => {
  const uri = 'https://app.example.com/webhooks/crmb';
  const bodyV =
    '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"appId":54321,"occurredAt":1564113600000,"subscriptionType":"deal.propertyChange","attemptNumber":0,"objectId":123,"propertyName":"dealstage","propertyValue":"closedwon","changeSource":"CRM_UI"}]';
  const bodyW =
    '[{"eventId":1,"subscriptionId":12345,"portalId":62515,"occurredAt":1564113600000,"subscriptionType":"contact.creation","attemptNumber":0,"objectId":123,"changeSource":"CRM","changeFlag":"NEW","appId":54321}]';
  const v1OfV = '20a06d654a413ee0a08f947c4fe4d59112c5b8d332b9e40b263ea111a4c74847';
  const signedAt = 1564113600123;
  const signed: CrmbRequest = {
    secret: 'hubspot-client-secret',
    method: 'POST',
    uri,
    rawBody: Buffer.from(bodyV),
    timestamp: String(signedAt),
    signatureV3: 'Vq1HznL1/p+2Pv1sDkyGUQ6dO9udgdHCLGe/lVeGnRQ=',
    signatureV1: undefined,
    now: new Date(signedAt),
    allowV1: false,
  };
  const verify = (more: Partial<CrmbRequest> = {}) => verifyCrmbSignature({ ...signed, ...more });

  it('are signed over method, address, body and time', () => {
    expect(verify()).to.equal(true);
    for (const more of [
      { secret: 'another' },
      { method: 'PUT' },
      { uri: `${uri}?a=1` },
      { rawBody: Buffer.from(`${bodyV} `) },
      { timestamp: String(signedAt + 1) },
    ])
      expect(verify(more), JSON.stringify(more)).to.equal(false);
  });

  it('are rejected if the signature or the time is malformed', () => {
    const right = signed.signatureV3 ?? '';
    for (const signatureV3 of ['', 'x', right.slice(0, -1), right.slice(4), `${right}=`, right.replace('+', '-')])
      expect(verify({ signatureV3 }), signatureV3).to.equal(false);
    for (const timestamp of [undefined, '', '-1', 'now', '1e12', ' 1564113600123', '9'.repeat(20)])
      expect(verify({ timestamp }), String(timestamp)).to.equal(false);
  });

  it('are rejected when older than five minutes or more than one minute in the future', () => {
    const agedBy = (ms: number) => verify({ now: new Date(signedAt + ms) });
    expect([300_000, 300_001, -60_000, -60_001].map(agedBy)).to.deep.equal([true, false, true, false]);
  });

  it('are signed over the address with the characters decoded that the vendor decodes', () => {
    const sign = (text: string) =>
      createHmac('sha256', signed.secret).update(`POST${text}${bodyV}${signedAt}`).digest('base64');
    const encoded = 'https://app.example.com/hook?to=https%3A%2F%2Fx%40y%21%24%27%28%29%2A%2C%3B%3f&keep=%20%26';
    const decoded = "https://app.example.com/hook?to=https://x@y!$'()*,;?&keep=%20%26";
    expect(verify({ uri: encoded, signatureV3: sign(decoded) })).to.equal(true);
    expect(verify({ uri: encoded, signatureV3: sign(encoded) })).to.equal(false);
  });

  it('accept the old signature only if it is allowed and there is no newer one', () => {
    const old = { signatureV3: undefined, timestamp: undefined, signatureV1: v1OfV };
    expect(verify(old)).to.equal(false);
    expect(verify({ ...old, allowV1: true })).to.equal(true);
    expect(verify({ ...old, allowV1: true, signatureV1: `0${v1OfV.slice(1)}` })).to.equal(false);
    expect(verify({ ...old, allowV1: true, signatureV1: undefined })).to.equal(false);
    expect(verify({ allowV1: true, signatureV1: v1OfV, signatureV3: 'forged' })).to.equal(false);
    const vendorsOwn = {
      secret: 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy',
      rawBody: Buffer.from(bodyW),
      signatureV3: undefined,
      signatureV1: '232db2615f3d666fe21a8ec971ac7b5402d33b9a925784df3ca654d05f4817de',
    };
    expect(verify({ ...vendorsOwn, allowV1: true })).to.equal(true);
  });

  it('name the deals of all portals, with the changed value under both slugs', () => {
    expect(readCrmbDelivery(JSON.parse(bodyV))).to.deep.equal([
      {
        dealId: '123',
        accountId: '62515',
        change: 'changed',
        occurredAt: new Date(1564113600000),
        key: '62515:propertyChange:123:dealstage:1564113600000',
        // What the CRM said about the former stage does not apply to the new one.
        values: { dealstage: 'closedwon', stage: 'closedwon', is_won: null, is_closed: null, stage_label: null },
        property: 'dealstage',
      },
    ]);
    expect(readCrmbDelivery(JSON.parse(bodyW))).to.deep.equal([]);
  });

  const event = (more: object) => ({ portalId: 1, objectId: 5, occurredAt: 1000, eventId: 9, ...more });
  const read = (more: object) => readCrmbDelivery([event(more)]);

  it('contain values of the fields’ types, and null for empty ones', () => {
    const valuesOf = (propertyName: string, propertyValue: string | null) =>
      read({ subscriptionType: 'deal.propertyChange', propertyName, propertyValue })[0]?.values;
    expect(valuesOf('amount', '50.5')).to.deep.equal({ amount: 50.5 });
    expect(valuesOf('amount', '')).to.deep.equal({ amount: null });
    expect(valuesOf('closedate', '1796083200000')).to.deep.equal({
      closedate: '2026-12-01T00:00:00.000Z',
      // A webhook does not say in which time zone this is a day.
      close_date: '2026-12-01T00:00:00.000Z',
    });
    expect(valuesOf('hubspot_owner_id', '7')).to.deep.equal({ hubspot_owner_id: '7', owner_id: '7' });
    expect(valuesOf('custom', '7')).to.deep.equal({ custom: '7' });
  });

  for (const [type, change] of [
    ['deal.creation', 'changed'],
    ['deal.restore', 'changed'],
    ['deal.deletion', 'deleted'],
    ['object.creation', 'changed'],
    ['object.deletion', 'deleted'],
  ] as const)
    it(`${type} means ${change}, also under the old name of the type`, () => {
      const more = { objectTypeId: '0-3' };
      for (const hints of [read({ subscriptionType: type, ...more }), read({ eventType: type, ...more })])
        expect(hints.map((hint) => [hint.dealId, hint.change])).to.deep.equal([['5', change]]);
    });

  it('have one key for the same change under the classic and the general name', () => {
    const classic = read({ subscriptionType: 'deal.creation' })[0]?.key;
    const general = read({ subscriptionType: 'object.creation', objectTypeId: '0-3' })[0]?.key;
    expect(classic).to.equal(general);
    expect(read({ subscriptionType: 'deal.creation', eventId: 10 })[0]?.key).to.equal(classic);
    expect(read({ subscriptionType: 'deal.creation', occurredAt: 1001 })[0]?.key).not.to.equal(classic);
    expect(read({ subscriptionType: 'deal.creation', portalId: 2 })[0]?.key).not.to.equal(classic);
  });

  it('are ignored if they concern other kinds of objects', () => {
    expect(read({ subscriptionType: 'object.creation', objectTypeId: '0-1' })).to.deep.equal([]);
    expect(read({ subscriptionType: 'company.creation' })).to.deep.equal([]);
    expect(read({ subscriptionType: 'deal.associationChange' })).to.deep.equal([]);
  });

  it('are read for every subscription of the file in docs/integrations.md', () => {
    const page = readFileSync('docs/integrations.md', 'utf8');
    const file = JSON.parse(/```json\n(.*?"legacyCrmObjects".*?)```/s.exec(page)?.[1] ?? '');
    for (const { subscriptionType, propertyName } of file.config.subscriptions.legacyCrmObjects)
      expect(read({ subscriptionType, propertyName, propertyValue: '5' }), subscriptionType).to.have.length(1);
    expect(file.config.settings.targetUrl).to.match(/\/webhooks\/crmb$/);
  });

  it('report the remaining and the deleted deals of a merge', () => {
    const merge = { subscriptionType: 'deal.merge', primaryObjectId: 5, mergedObjectIds: [6, 7] };
    const changes = (more: object) => read({ ...merge, ...more }).map(({ dealId, change }) => [dealId, change]);
    expect(changes({})).to.deep.equal([
      ['5', 'changed'],
      ['6', 'deleted'],
      ['7', 'deleted'],
    ]);
    expect(changes({ newObjectId: 8, mergedObjectIds: [6] })).to.deep.equal([
      ['8', 'changed'],
      ['5', 'deleted'],
      ['6', 'deleted'],
    ]);
    const keys = read(merge).map(({ key }) => key);
    expect(new Set(keys).size).to.equal(3);
  });

  it('skip unreadable events, and are rejected if they are no list', () => {
    const good = event({ subscriptionType: 'deal.creation' });
    expect(
      readCrmbDelivery([{ odd: true }, good, null, { ...good, objectId: 'x' }, { ...good, occurredAt: -1 }]),
    ).to.have.length(1);
    for (const json of [null, {}, 'x', Array(501).fill(good)])
      expect(() => readCrmbDelivery(json))
        .to.throw(Failure)
        .with.property('code', 'VALIDATION_FAILED');
  });

  it('from the fake verify in batches of a hundred', async () => {
    const crm = await FakeCrmb.start();
    crm.webhookUrl = uri;
    const ids = Array.from({ length: 60 }, () => crm.addDeal({}));
    for (const id of ids) crm.closeDeal(id, '2026-11-21');
    const deliveries = crm.deliveries.take();
    await crm.stop();
    expect(deliveries).to.have.length(2);
    const hints = deliveries.flatMap(({ headers, body }) => {
      const request = {
        secret: crm.oauth.options.clientSecret,
        method: 'POST',
        uri,
        rawBody: Buffer.from(body),
        timestamp: headers['X-HubSpot-Request-Timestamp'],
        signatureV1: headers['X-HubSpot-Signature'],
        now: new Date(),
      };
      const signatureV3 = headers['X-HubSpot-Signature-v3'];
      expect(verifyCrmbSignature({ ...request, signatureV3, allowV1: false })).to.equal(true);
      expect(verifyCrmbSignature({ ...request, signatureV3: undefined, allowV1: true })).to.equal(true);
      return readCrmbDelivery(JSON.parse(body));
    });
    expect(hints).to.have.length(180);
    expect(new Set(hints.map(({ dealId }) => dealId))).to.deep.equal(new Set(ids));
    expect(hints.every(({ accountId }) => accountId === String(crm.portalId))).to.equal(true);
  });
});
