import { expect } from 'chai';
import { toLabel } from '#src/deals/fields/field-definition.js';
import { suggestMapping } from '#src/deals/fields/field-matching.js';
import { type FieldType } from '#src/engine/condition.js';

/** The suggestion for fields given as `slug type, slug type`. */
function suggest(fields: string) {
  return suggestMapping(
    fields.split(',').map((pair) => {
      const [slug = '', type = 'text'] = pair.trim().split(' ');
      return { slug, label: toLabel(slug), type: type as FieldType };
    }),
  );
}

describe('labels', () => {
  for (const [slug, label] of [
    ['close_value', 'Close value'],
    ['closeDate', 'Close date'],
    ['StageName', 'Stage name'],
    ['CurrencyIsoCode', 'Currency iso code'],
    ['Gross_Margin__c', 'Gross margin'],
    ['hs_arr', 'Arr'],
    ['ARRGrowth', 'Arr growth'],
    ['umsatz-größe', 'Umsatz größe'],
    ['q1', 'Q1'],
    ['$$', '$$'],
  ] as const) {
    it(`${slug} is ${label}`, () => expect(toLabel(slug)).to.equal(label));
  }
});

describe('suggested mappings', () => {
  it('recognizes the names of a HubSpot-like CRM', () => {
    expect(
      suggest(`amount number, amount_in_home_currency number, closedate timestamp, createdate timestamp, deal_currency_code select,
        dealname text, dealstage select, hs_arr number, hs_deal_stage_probability number, hs_is_closed checkbox,
        hubspot_owner_id number, hs_object_id number`),
    ).to.deep.equal({
      standard: {
        dealAmount: 'amount',
        dealStage: 'dealstage',
        closeDate: 'closedate',
        dealName: 'dealname',
        ownerId: 'hubspot_owner_id',
        currency: 'deal_currency_code',
        createdDate: 'createdate',
      },
      measures: { amount_in_home_currency: 'amount_in_home_currency', arr: 'hs_arr' },
    });
  });

  it('recognizes the names of a Salesforce-like CRM', () => {
    expect(
      suggest(`Amount number, CloseDate date, CreatedDate timestamp, CurrencyIsoCode select, ForecastCategory select,
        Gross_Margin__c number, IsClosed checkbox, Name text, OwnerId text, Probability number, StageName select`),
    ).to.deep.equal({
      standard: {
        dealAmount: 'Amount',
        dealStage: 'StageName',
        closeDate: 'CloseDate',
        dealName: 'Name',
        ownerId: 'OwnerId',
        currency: 'CurrencyIsoCode',
        createdDate: 'CreatedDate',
      },
      measures: { gross_margin: 'Gross_Margin__c' },
    });
  });

  it('recognizes the names of an Attio-like CRM, which has no standard close date', () => {
    expect(
      suggest(
        'contract_close_day date, created_at timestamp, name text, owner text, seats number, stage status, value number',
      ),
    ).to.deep.equal({
      standard: {
        dealAmount: 'value',
        dealStage: 'stage',
        closeDate: 'contract_close_day',
        dealName: 'name',
        ownerId: 'owner',
        createdDate: 'created_at',
      },
      measures: { seats: 'seats' },
    });
  });

  it('recognizes the columns of the sales opportunities', () => {
    expect(
      suggest(`account select, close_date text, close_value number, deal_stage select, engage_date text, product select,
        sales_agent select`),
    ).to.deep.equal({
      standard: {
        dealAmount: 'close_value',
        dealStage: 'deal_stage',
        closeDate: 'close_date',
        ownerId: 'sales_agent',
        createdDate: 'engage_date',
      },
      measures: {},
    });
  });

  it('prefers a field of the matching type', () => {
    expect(suggest('amount text, deal_value number').standard).to.deep.equal({ dealAmount: 'deal_value' });
    expect(suggest('amount text').standard).to.deep.equal({ dealAmount: 'amount' });
    expect(suggest('status checkbox, closed_date checkbox').standard).to.deep.equal({});
  });

  it('suggests no field twice', () => {
    const { standard } = suggest(
      'close_value_date date, deal_stage_owner select, deal_name text, opportunity_name text',
    );
    const given = Object.values(standard);
    expect(new Set(given).size).to.equal(given.length);
    expect(standard).to.deep.equal({
      dealStage: 'deal_stage_owner',
      closeDate: 'close_value_date',
      dealName: 'deal_name',
    });
  });

  it('suggests no measure that hides a standard value or another field', () => {
    expect(suggest('Amount number, value__c number, arr text, hs_arr number').measures).to.deep.equal({
      hs_arr: 'hs_arr',
    });
  });

  it('suggests no text, identifier, percentage or date as a measure', () => {
    expect(
      suggest('margin text, seats_id number, margin_percentage number, revenue_year number').measures,
    ).to.deep.equal({});
  });

  it('suggests nothing without fields', () => {
    expect(suggestMapping([])).to.deep.equal({ standard: {}, measures: {} });
  });
});
