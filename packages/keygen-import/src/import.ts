import { importCatalog } from './catalog.ts';
import { importLicenses, importMachines } from './licenses.ts';
import { type Counts, type ImportOptions, Run } from './run.ts';

const reportedOnly = {
  components: 'There is no counterpart.',
  processes: 'There is no counterpart.',
  groups: 'There is no counterpart.',
  keys: 'There is no counterpart: keys are not pooled here.',
  releases: 'Publish the release here: its files are not imported.',
  'webhook-endpoints': 'Create the webhook here: its secret and its events differ.',
  tokens: 'Create API keys here: a token of Keygen is not valid.',
};

/**
 * Imports an account of Keygen through the public API. It can be interrupted and repeated at any time, because what
 * exists here is found again, and is not created twice.
 */
export async function importKeygen(options: ImportOptions): Promise<Counts> {
  const run = new Run(options);
  await importCatalog(run);
  await importMachines(run, await importLicenses(run));
  for (const [path, message] of Object.entries(reportedOnly)) {
    for await (const { id } of run.resources(path)) run.add(path, id, null, [{ outcome: 'left_out', message }]);
  }
  const message = 'It owns no license, and customers exist only with a license.';
  for (const id of run.users.keys()) {
    if (!run.owners.has(id)) run.add('users', id, null, [{ outcome: 'left_out', message }]);
  }
  return run.counts;
}
