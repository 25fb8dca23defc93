const at = (name: string) => `${name.toLowerCase().replaceAll(' ', '.')}@demo.example`;

const east = 'Maya Ito';
const west = 'Jonas Berg';

export const sellers = ['Dana Whitfield', 'Omar Haddad', 'Lucia Ferrer', 'Ken Adeyemi', 'Sofia Lindqvist'].map(at);
export const accountManagers = ['Priya Nair', 'Tom Okafor'].map(at);
export const developers = ['Ana Kowalski', 'Ben Castillo'].map(at);
export const managers = [east, west].map(at);

const rep = (name: string, manager: string) => ({
  email: at(name),
  name,
  role: 'rep',
  crmMemberId: at(name),
  managerEmail: at(manager),
});

/** One admin, two managers, nine reps and one person of payroll, all fictitious. */
export const demoPeople = [
  { email: at('Alex Morgan'), name: 'Alex Morgan', role: 'admin' },
  { email: at(east), name: east, role: 'manager', crmMemberId: at(east), managerEmail: at('Alex Morgan') },
  { email: at(west), name: west, role: 'manager', crmMemberId: at(west), managerEmail: at('Alex Morgan') },
  rep('Dana Whitfield', east),
  rep('Omar Haddad', east),
  rep('Lucia Ferrer', east),
  rep('Priya Nair', east),
  rep('Ana Kowalski', east),
  rep('Ken Adeyemi', west),
  rep('Sofia Lindqvist', west),
  rep('Tom Okafor', west),
  rep('Ben Castillo', west),
  { email: at('Joan Pereira'), name: 'Joan Pereira', role: 'payroll' },
];
