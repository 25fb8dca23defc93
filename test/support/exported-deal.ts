/**
 * A deal of a workspace that reads amounts from `tcv`, and the file of it that the import page sends after the export.
 * Its fields resemble standard values, or are values that a spreadsheet would change.
 */
export const exportedDeal = {
  standard: { name: 'Alder', stage: 'Closed won', closeDate: '2026-02-10', currency: 'EUR' },
  fields: {
    tcv: 12_500.5,
    article: '00123',
    created_by: 'import',
    note: 'a, "b"\nc',
    opened_on: '2026-01-05',
    renewal: true,
    value: 3,
  },
  file: [
    'deal_id,name,ownerEmail,tcv,currency,stage,close_date,article,created_by,note,opened_on,renewal,value',
    'D-1,Alder,ann@x.io,12500.5,EUR,Closed won,2026-02-10,00123,import,"a, ""b""\nc",2026-01-05,true,3',
    '',
  ].join('\n'),
} as const;
