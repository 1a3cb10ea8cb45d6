import { type ErrorExplanations, explain } from '../../../lib/error-explanation.ts';

export const releaseErrors = {
  'RELEASE.NOT_FOUND': explain(
    'There is no such release, or it is not published, or it has no such file.',
    'List the releases of the product, or ask for the latest release again.',
  ),
  'RELEASE.VERSION_TAKEN': explain(
    'The product has a release of this version; versions that differ only after `+` are the same.',
    'Choose another version.',
  ),
  'RELEASE.TRANSITION_INVALID': explain(
    'The status of the release does not permit this action: a published release changes only by being withdrawn.',
    'Create another release.',
  ),
  'RELEASE.ARTIFACT_REQUIRED': explain('The release has no file.', 'Add a file to the draft, then publish it.'),
  'LICENSE.KEY_REQUIRED': explain(
    'The file needs a license, and the request has no key.',
    'Send the key of the license.',
  ),
} satisfies ErrorExplanations;
