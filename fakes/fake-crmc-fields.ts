export interface DescribedField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly length: number;
  readonly picklistValues:
    | readonly { readonly active: boolean; readonly label: string; readonly value: string }[]
    | null;
  /** Whether the connected user may write it; by default custom fields and those that people fill in. */
  readonly updateable?: boolean;
}

/** Fields that the platform sets. */
const setByPlatform: readonly string[] = [
  'Id',
  'IsDeleted',
  'IsClosed',
  'IsWon',
  'CreatedDate',
  'LastModifiedDate',
  'SystemModstamp',
  'LastViewedDate',
];

export function isUpdateable({ name, updateable }: DescribedField): boolean {
  return updateable ?? !setByPlatform.includes(name);
}

export const stages = [
  stage('Prospecting', 'Prospecting', 1, false, false),
  stage('Negotiation/Review', 'Negotiation', 2, false, false),
  stage('Closed Won', 'Closed Won', 3, true, true),
  stage('Closed Lost', 'Closed Lost', 4, true, false),
] as const;

function stage(ApiName: string, MasterLabel: string, SortOrder: number, IsClosed: boolean, IsWon: boolean) {
  return { Id: `01JRO000000stg${SortOrder}YAA`, ApiName, MasterLabel, SortOrder, IsActive: true, IsClosed, IsWon };
}

/** The description of deals: standard fields and a few custom ones. */
export function opportunityFields(multiCurrency: boolean): DescribedField[] {
  return [
    field('Id', 'Opportunity ID', 'id', 18),
    field('IsDeleted', 'Deleted', 'boolean'),
    field('AccountId', 'Account ID', 'reference', 18),
    field('RecordTypeId', 'Record Type ID', 'reference', 18),
    field('Name', 'Name', 'string', 120),
    field('Description', 'Description', 'textarea', 32_000),
    {
      ...field('StageName', 'Stage', 'picklist', 255),
      picklistValues: stages.map(({ ApiName, MasterLabel }) => ({ active: true, label: MasterLabel, value: ApiName })),
    },
    field('Amount', 'Amount', 'currency'),
    field('Probability', 'Probability (%)', 'percent'),
    field('CloseDate', 'Close Date', 'date'),
    field('IsClosed', 'Closed', 'boolean'),
    field('IsWon', 'Won', 'boolean'),
    field('ForecastCategoryName', 'Forecast Category', 'picklist', 40),
    field('OwnerId', 'Owner ID', 'reference', 18),
    ...(multiCurrency ? [field('CurrencyIsoCode', 'Currency ISO Code', 'picklist', 3)] : []),
    field('CreatedDate', 'Created Date', 'datetime'),
    field('LastModifiedDate', 'Last Modified Date', 'datetime'),
    field('SystemModstamp', 'System Modstamp', 'datetime'),
    field('LastViewedDate', 'Last Viewed Date', 'datetime'),
    field('Annual_Contract_Value__c', 'Annual Contract Value', 'currency'),
    field('ARR__c', 'ARR', 'currency'),
    {
      ...field('Regions__c', 'Regions', 'multipicklist', 4099),
      picklistValues: [
        { active: true, label: 'EMEA', value: 'emea' },
        { active: false, label: 'Mars', value: 'mars' },
      ],
    },
    field('Site__c', 'Site', 'location'),
  ];
}

function field(name: string, label: string, type: string, length = 0): DescribedField {
  return { name, label, type, length, picklistValues: null };
}
