import { type DescribedField, stages } from './fake-crmc-fields.js';
import { type FakeCatalog, type FakeObject, type FakeRow } from './fake-soql.js';

/** What queries read, as the connected user sees it. */
interface CrmcSources {
  readonly fields: readonly DescribedField[];
  readonly readsDeals: boolean;
  readonly deals: () => readonly FakeRow[];
  readonly users: () => readonly FakeRow[];
  readonly organization: FakeRow;
  readonly permissions: { readonly userId: string; readonly viewsAllDeals: boolean };
  readonly others: ReadonlyMap<string, readonly FakeRow[]>;
  readonly unreadable: ReadonlySet<string>;
}

/** The two types of a new organisation, and one that an admin added. */
export const splitTypes = [
  {
    Id: '149RO0000000001YAA',
    DeveloperName: 'Revenue',
    MasterLabel: 'Revenue',
    IsActive: true,
    IsTotalValidated: true,
  },
  {
    Id: '149RO0000000002YAA',
    DeveloperName: 'Overlay',
    MasterLabel: 'Overlay',
    IsActive: true,
    IsTotalValidated: false,
  },
  { Id: '149RO0000000003YAA', DeveloperName: 'SE', MasterLabel: 'SE credit', IsActive: true, IsTotalValidated: false },
] as const;

type Parents = NonNullable<FakeObject['parents']>;

const permissionSet = { Id: '0PSRO000000viewYAA', Name: 'Integration', PermissionsViewAllData: false };

/** The objects that can be queried. An object that the user may not read does not exist for the user. */
export function crmcCatalog(sources: CrmcSources): FakeCatalog {
  const rowsNamed = (name: string) => () => sources.others.get(name) ?? [];
  const { userId, viewsAllDeals } = sources.permissions;
  const catalog = new Map<string, FakeObject>([
    ...people(sources.users, rowsNamed),
    [
      'Organization',
      object('Id Name DefaultCurrencyIsoCode TimeZoneSidKey DefaultOpportunityAccess IsSandbox:boolean', () => [
        sources.organization,
      ]),
    ],
    [
      'OpportunityStage',
      object('Id ApiName MasterLabel IsActive:boolean IsClosed:boolean IsWon:boolean SortOrder:int', () => stages),
    ],
    ['Account', object('Id Name Industry', rowsNamed('Account'))],
    ['RecordType', object('Id Name DeveloperName SobjectType IsActive:boolean', rowsNamed('RecordType'))],
    ['Product2', object('Id Name ProductCode Family', rowsNamed('Product2'))],
    [
      'OpportunityLineItem',
      object(
        'Id OpportunityId Product2Id Name ProductCode Quantity:double UnitPrice:currency ListPrice:currency Discount:percent TotalPrice:currency ServiceDate:date Region__c SystemModstamp:datetime IsDeleted:boolean',
        rowsNamed('OpportunityLineItem'),
        {
          Opportunity: { object: 'Opportunity', key: 'OpportunityId' },
          Product2: { object: 'Product2', key: 'Product2Id' },
        },
      ),
    ],
    ...dealSplits(rowsNamed('OpportunitySplit')),
    ['PermissionSet', object('Id Name PermissionsViewAllData:boolean', () => [permissionSet])],
    [
      'PermissionSetAssignment',
      object(
        'Id AssigneeId PermissionSetId',
        () => [{ Id: '0PaRO000000viewYAA', AssigneeId: userId, PermissionSetId: permissionSet.Id }],
        { PermissionSet: { object: 'PermissionSet', key: 'PermissionSetId' } },
      ),
    ],
    [
      'ObjectPermissions',
      object('Id ParentId SobjectType PermissionsRead:boolean PermissionsViewAllRecords:boolean', () => [
        {
          Id: '110RO000000viewYAA',
          ParentId: permissionSet.Id,
          SobjectType: 'Opportunity',
          PermissionsRead: true,
          PermissionsViewAllRecords: viewsAllDeals,
        },
      ]),
    ],
  ]);
  if (sources.readsDeals)
    catalog.set('Opportunity', {
      fields: new Map(sources.fields.map(({ name, type }) => [name, type])),
      rows: sources.deals,
      parents: {
        Owner: { object: 'User', key: 'OwnerId' },
        Account: { object: 'Account', key: 'AccountId' },
        RecordType: { object: 'RecordType', key: 'RecordTypeId' },
      },
    });
  for (const name of sources.unreadable) catalog.delete(name);
  return catalog;
}

/** The parts of deals, and their types. */
function dealSplits(splits: FakeObject['rows']): readonly (readonly [string, FakeObject])[] {
  return [
    [
      'OpportunitySplitType',
      object('Id DeveloperName MasterLabel IsActive:boolean IsTotalValidated:boolean', () => splitTypes),
    ],
    [
      'OpportunitySplit',
      object(
        'Id OpportunityId SplitOwnerId SplitPercentage:percent SplitAmount:currency SplitTypeId SystemModstamp:datetime IsDeleted:boolean',
        splits,
        {
          Opportunity: { object: 'Opportunity', key: 'OpportunityId' },
          SplitType: { object: 'OpportunitySplitType', key: 'SplitTypeId' },
        },
      ),
    ],
  ];
}

/** The text fields of users. */
export const userFields = 'Id Name Email UserType SmallPhotoUrl Department Division UserRoleId ProfileId'.split(' ');

/** Users, and what groups them. */
function people(
  users: CrmcSources['users'],
  rowsNamed: (name: string) => () => readonly FakeRow[],
): readonly (readonly [string, FakeObject])[] {
  return [
    [
      'User',
      object([...userFields, 'IsActive:boolean', 'SystemModstamp:datetime'].join(' '), users, {
        UserRole: { object: 'UserRole', key: 'UserRoleId' },
        Profile: { object: 'Profile', key: 'ProfileId' },
      }),
    ],
    ['UserRole', object('Id Name', rowsNamed('UserRole'))],
    ['Profile', object('Id Name', rowsNamed('Profile'))],
  ];
}

/** Fields as `Name` or `Name:type`; text by default. */
function object(fields: string, rows: () => readonly FakeRow[], parents: Parents = {}): FakeObject {
  const described = fields.split(' ').map((requestedName) => {
    const [name = '', type = 'string'] = requestedName.split(':');
    return [name, type] as const;
  });
  return { fields: new Map(described), rows, parents };
}
