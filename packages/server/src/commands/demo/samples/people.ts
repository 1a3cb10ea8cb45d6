import type { Random } from './random.ts';

const firstNames = [
  'Ada',
  'Amir',
  'Beatriz',
  'Chidi',
  'Clara',
  'Daniel',
  'Elif',
  'Emma',
  'Farah',
  'Felix',
  'Greta',
  'Hiro',
  'Ines',
  'Jonas',
  'Kaya',
  'Leon',
  'Lucia',
  'Maja',
  'Mateo',
  'Nadia',
  'Noah',
  'Olga',
  'Omar',
  'Priya',
  'Quinn',
  'Ravi',
  'Sofia',
  'Tomasz',
  'Uma',
  'Viktor',
  'Wen',
  'Yara',
  'Zoe',
];
const lastNames = [
  'Adeyemi',
  'Almeida',
  'Bauer',
  'Becker',
  'Costa',
  'Dubois',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
  'Jensen',
  'Kowalski',
  'Kumar',
  'Lang',
  'Marsh',
  'Moreau',
  'Nguyen',
  'Novak',
  'Okafor',
  'Park',
  'Quist',
  'Rossi',
  'Sato',
  'Silva',
  'Tanaka',
  'Usman',
  'Vargas',
  'Weber',
  'Yilmaz',
];
const companies = [
  ['Northwind Audio', 'northwind'],
  ['Blue Harbor', 'blueharbor'],
  ['Pixelforge', 'pixelforge'],
  ['Tidal Works', 'tidal'],
  ['Lumen Labs', 'lumen'],
  ['Corvid Games', 'corvid'],
  ['Old Mill Studio', 'oldmill'],
  ['Kestrel Maps', 'kestrel'],
  ['Granite Films', 'granite'],
  ['Fjord Media', 'fjord'],
] as const;

/** A customer of the demo's vendor. All addresses are in the reserved domain `.example`. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** The start of the names of the person's devices. */
  readonly handle: string;
  readonly company: string;
}

/** Returns a random customer. */
export function randomPerson(random: Random): Person {
  const [first, last] = [random.pick(firstNames), random.pick(lastNames)];
  const [company, domain] = random.pick(companies);
  const handle = first.toLowerCase();
  return { name: `${first} ${last}`, email: `${handle}.${last.toLowerCase()}@${domain}.example`, handle, company };
}
