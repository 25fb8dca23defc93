import { expect } from 'chai';
import { dealShape, readDeal, readValue } from '#src/crm/adapters/crmc/deals.js';
import { instanceOrigin } from '#src/crm/adapters/crmc/instance.js';
import { assignSlugs, snakeCase } from '#src/crm/adapters/crmc/names.js';
import { soqlText } from '#src/crm/adapters/crmc/soql.js';
import { readCrmcDelivery } from '#src/crm/adapters/crmc/webhook.js';
import { id18 } from '#src/kernel/opportunity-id.js';

const described = (name: string, type: string, length = 0) => ({
  name,
  label: name,
  type,
  length,
  picklistValues: null,
});
const describedDeal = (fields: ReturnType<typeof described>[]) => dealShape({ fields, recordTypeInfos: [] });

describe('crm-c on the wire', () => {
  describe('names', () => {
    it('are PascalCase and become the slugs of the other CRMs', () => {
      const slugs = Object.fromEntries(
        assignSlugs([
          'CloseDate',
          'StageName',
          'OwnerId',
          'Amount',
          'Name',
          'CurrencyIsoCode',
          'ForecastCategoryName',
          'Annual_Contract_Value__c',
          'ARR__c',
          'ns__My_Field__c',
        ]).map(({ native, slug }) => [native, slug]),
      );
      expect(slugs).to.deep.equal({
        CloseDate: 'close_date',
        StageName: 'stage',
        OwnerId: 'owner_id',
        Amount: 'amount',
        Name: 'name',
        CurrencyIsoCode: 'currency',
        ForecastCategoryName: 'forecast_category_name',
        Annual_Contract_Value__c: 'annual_contract_value',
        ARR__c: 'arr',
        ns__My_Field__c: 'ns_my_field',
      });
    });

    it('a custom field never takes the slug of a standard one, in whatever order they come', () => {
      for (const natives of [
        ['Amount__c', 'Amount', 'Stage__c', 'StageName', 'Stage_Name__c'],
        ['StageName', 'Stage_Name__c', 'Amount', 'Stage__c', 'Amount__c'],
      ]) {
        const slugs = Object.fromEntries(assignSlugs(natives).map(({ native, slug }) => [native, slug]));
        expect(slugs).to.deep.equal({
          Amount: 'amount',
          Amount__c: 'amount_c',
          StageName: 'stage',
          Stage__c: 'stage_c',
          Stage_Name__c: 'stage_name',
        });
      }
    });

    it('are unique', () => {
      const natives = ['Deal_Size__c', 'DealSize__c', 'Deal__Size__c', 'DealSize', 'DealSize__pc'];
      const slugs = assignSlugs(natives).map(({ slug }) => slug);
      expect(new Set(slugs).size).to.equal(natives.length);
      expect(slugs).to.include('deal_size');
    });

    it('may be long and unusual', () => {
      expect(snakeCase('A'.repeat(50_000))).to.have.length(50_000);
      expect(snakeCase('_'.repeat(50_000))).to.equal('_');
    });
  });

  it('become ids of 18 characters from 15', () => {
    expect(id18('a00D0000008pQR5')).to.equal('a00D0000008pQR5IAM');
    expect(id18('006RO000000abcd')).to.equal('006RO000000abcdYAA');
    expect(id18('00DRO0000001234AAA')).to.equal('00DRO0000001234AAA');
  });

  describe('a delivery of a Flow', () => {
    const id = '006RO000000abcdYAA';
    const other = '006RO000000wxyzYAA';
    const accepted: readonly [string, unknown, string[]][] = [
      ['the sample of the setup', { opportunityId: id, organizationId: '00DRO0000001234AAA', event: 'updated' }, [id]],
      ['an id of 15 characters', { opportunityId: id.slice(0, 15) }, [id]],
      ['Id', { Id: id }, [id]],
      ['id', { id }, [id]],
      ['recordId', { recordId: id }, [id]],
      ['OpportunityId', { OpportunityId: id }, [id]],
      ['RecordId', { RecordId: id }, [id]],
      ['opportunity_id', { opportunity_id: id }, [id]],
      [
        'the fields of the CRM',
        { Id: id, StageName: 'Closed Won', CloseDate: '2026-03-01', Amount: 5, OwnerId: '005' },
        [id],
      ],
      ['a list in PascalCase', [{ OpportunityId: id }, { RecordId: other }], [id, other]],
      ['Ids', { Ids: [id, other] }, [id, other]],
      ['OpportunityIds', { OpportunityIds: [id, other] }, [id, other]],
      ['the id beside another object of the CRM', { Id: '005RO000000wxyzYAA', OpportunityId: id }, [id]],
      ['a list of objects', [{ Id: id }, { opportunityId: other }], [id, other]],
      ['a list of ids', { ids: [id, other, id.slice(0, 15)] }, [id, other]],
    ];
    for (const [name, body, ids] of accepted)
      it(`may be ${name}`, () => expect(readCrmcDelivery(body)).to.deep.equal(ids));

    const rejected: readonly [string, unknown][] = [
      ['nothing', undefined],
      ['null', null],
      ['a text', id],
      ['an empty object', {}],
      ['an empty list', []],
      ['no ids', { ids: [] }],
      ['the id of a person', { opportunityId: '005RO000000wxyzYAA' }],
      ['an id that breaks out of a query', { opportunityId: "006RO000000ab'--" }],
      ['a number', { opportunityId: 6 }],
      ['one id that is none among others', { ids: [id, '006'] }],
      ['501 ids', { ids: Array(501).fill(id) }],
    ];
    for (const [name, body] of rejected) it(`is not ${name}`, () => expect(readCrmcDelivery(body)).to.equal(null));
  });

  it('escapes texts in a query', () => {
    expect(soqlText("O'Brien \\ x")).to.equal(String.raw`'O\'Brien \\ x'`);
    expect(soqlText("' OR Id != '")).to.equal(String.raw`'\' OR Id != \''`);
  });

  it('accepts only the vendor’s addresses for an org', () => {
    expect(instanceOrigin('https://acme.my.salesforce.com/', false)).to.equal('https://acme.my.salesforce.com');
    expect(instanceOrigin('https://acme--dev.sandbox.my.salesforce.com/lightning/o', false)).to.equal(
      'https://acme--dev.sandbox.my.salesforce.com',
    );
    expect(instanceOrigin('http://127.0.0.1:4000', true)).to.equal('http://127.0.0.1:4000');
    for (const text of [
      '',
      'acme.my.salesforce.com',
      'http://acme.my.salesforce.com',
      'https://salesforce.com.evil.test',
      'https://evilsalesforce.com',
      'https://acme.my.salesforce.com@evil.test',
      'https://user:pass@acme.my.salesforce.com',
      'https://acme.my.salesforce.com:8443',
      'http://127.0.0.1:4000',
      'http://localhost',
      'http://[::1]:1',
      'https://localhost',
      'https://127.0.0.1',
      'https://2130706433',
      'https://0x7f000001',
      'https://0177.0.0.1',
      'https://127.1',
      'https://[::1]',
      'https://[::ffff:127.0.0.1]',
      'https://[::ffff:a9fe:a9fe]',
      'https://169.254.169.254',
      'https://10.0.0.1',
      'https://metadata.google.internal',
      'https://salesforce.com',
      'https://acme.my.salesforce.com.',
      'https://acme.my.salesforce.com%2eevil.test',
      'https://acme.my.salesforce.com%00.evil.test',
      'https://evil.test/.salesforce.com',
      'https://evil.test?.salesforce.com',
      'https://evil.test#.salesforce.com',
      'https://evil.test\\.salesforce.com',
      'https://evil.test:443@127.0.0.1/.salesforce.com',
      'https://acme.my.s\u0430lesforce.com',
      'https://127.0.0.1\u3002salesforce.com.evil.test',
      '//acme.my.salesforce.com',
      'ftp://acme.my.salesforce.com',
      'gopher://acme.my.salesforce.com',
      'file:///etc/passwd',
      'data:text/plain,x',
    ])
      expect(() => instanceOrigin(text, false), text).to.throw(/instance URL/);
    expect(() => instanceOrigin('http://169.254.169.254/', true)).to.throw(/instance URL/);
    expect(() => instanceOrigin('https://127.0.0.1/', true)).to.throw(/instance URL/);
  });

  describe('values', () => {
    it('have their types; empty and compound values are null', () => {
      expect(readValue('2026-12-31', 'date')).to.equal('2026-12-31');
      expect(readValue('2026-10-01T09:00:00.000+0000', 'datetime')).to.equal('2026-10-01T09:00:00.000Z');
      expect(readValue(125000.5, 'currency')).to.equal(125000.5);
      expect(readValue(75, 'percent')).to.equal(75);
      expect(readValue(false, 'boolean')).to.equal(false);
      expect(readValue(0, 'double')).to.equal(0);
      expect(readValue('a;b', 'multipicklist')).to.equal('a;b');
      expect(readValue('', 'string')).to.equal(null);
      expect(readValue(null, 'currency')).to.equal(null);
      expect(readValue({ city: 'Ulm' }, 'address')).to.equal(null);
      expect(readValue('never', 'datetime')).to.equal(null);
    });

    it("are read from the vendor's example", () => {
      const shape = describedDeal([
        described('Id', 'id'),
        described('Name', 'string'),
        described('Amount', 'currency'),
        described('CloseDate', 'date'),
        described('StageName', 'picklist'),
        described('IsWon', 'boolean'),
        described('OwnerId', 'reference'),
        described('CurrencyIsoCode', 'picklist'),
        described('CreatedDate', 'datetime'),
        described('SystemModstamp', 'datetime'),
        described('IsDeleted', 'boolean'),
      ]);
      const record = {
        attributes: { type: 'Opportunity', url: '/services/data/v67.0/sobjects/Opportunity/006RO000000abcdYAA' },
        Id: '006RO000000abcdYAA',
        Name: 'Acme renewal',
        Amount: 125000.5,
        CloseDate: '2026-12-31',
        StageName: 'Closed Won',
        IsWon: true,
        OwnerId: '005RO000000wxyzYAA',
        CurrencyIsoCode: 'USD',
        CreatedDate: '2026-10-01T09:00:00.000+0000',
        SystemModstamp: '2026-11-20T10:00:00.000+0000',
        IsDeleted: false,
      };
      expect(readDeal(record, shape, null)).to.deep.equal({
        id: '006RO000000abcdYAA',
        fields: {
          name: 'Acme renewal',
          stage_label: 'Closed Won',
          amount: 125000.5,
          close_date: '2026-12-31',
          stage: 'Closed Won',
          is_won: true,
          owner_id: '005RO000000wxyzYAA',
          currency: 'USD',
          created_date: '2026-10-01T09:00:00.000Z',
        },
        modifiedAt: new Date('2026-11-20T10:00:00.000Z'),
        deleted: false,
      });
    });

    it('contain the label of the stage and the record type as the pipeline', () => {
      const stage = {
        ...described('StageName', 'picklist'),
        picklistValues: [{ active: false, label: 'Signed', value: 'Closed Won' }],
      };
      const types = [
        { recordTypeId: '012000000000000AAA', name: 'Master', master: true },
        { recordTypeId: '012RO0000001abc', name: 'Renewal', master: false },
      ];
      const record = { Id: '006RO000000abcdYAA', SystemModstamp: '2026-11-20T10:00:00.000+0000', IsDeleted: false };
      const read = (values: object, fields = [stage, described('RecordTypeId', 'reference')]) =>
        readDeal({ ...record, ...values }, dealShape({ fields, recordTypeInfos: types }), null).fields;
      const renewal = read({ StageName: 'Closed Won', RecordTypeId: '012RO0000001abcYAA' });
      expect(renewal).to.include({ stage: 'Closed Won', stage_label: 'Signed', pipeline_label: 'Renewal' });
      expect(read({ StageName: 'Open', RecordTypeId: '012000000000000AAA' })).not.to.have.property('pipeline_label');
      const custom = [stage, described('Pipeline__c', 'string')];
      expect(read({ RecordTypeId: '012RO0000001abcYAA', Pipeline__c: 'EMEA' }, custom)).to.include({
        pipeline: 'EMEA',
      });
    });

    it('do not include compound, long text and view-date fields', () => {
      const shape = describedDeal([
        described('BillingAddress', 'address'),
        described('Site__c', 'location'),
        described('Description', 'textarea', 32_000),
        described('NextStep', 'string', 255),
        described('Note__c', 'textarea', 255),
        described('LastViewedDate', 'datetime'),
      ]);
      expect(shape.selected).to.deep.equal(['Id', 'SystemModstamp', 'IsDeleted', 'NextStep', 'Note__c']);
    });
  });
});
