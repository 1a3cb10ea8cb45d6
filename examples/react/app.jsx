import { useState } from 'react';
import { guard, messageOf, useEditorLicense } from './license.js';

export function App() {
  const license = useEditorLicense();
  // Neither a refusal nor the application, until the first check has ended.
  if (license.isChecking) return <p role="status">Checking your license …</p>;
  return (
    <main>
      <h1>Sketch</h1>
      <p role="status">{messageOf(license)}</p>
      {license.status === 'unlicensed' ? <KeyForm /> : <Toolbar />}
      <button type="button" onClick={() => void license.refresh()}>
        Check again
      </button>
    </main>
  );
}

/** Any component asks for itself what the license grants. */
function Toolbar() {
  const { has } = useEditorLicense();
  return (
    <button type="button" disabled={!has('export')} onClick={() => print()}>
      Export as PDF
    </button>
  );
}

function KeyForm() {
  const [problem, setProblem] = useState('');
  /** @param {FormData} fields */
  const activate = async (fields) => {
    const licenseKey = String(fields.get('key')).trim();
    // A refused key changes nothing; an accepted one renders every component again.
    await guard.activate(licenseKey).then(
      () => setProblem(''),
      ({ code, message }) => setProblem(messageOf({ status: 'unlicensed', reason: code, message, until: null })),
    );
  };
  return (
    <form action={activate}>
      <label htmlFor="key">License key</label>
      <input id="key" name="key" autoComplete="off" spellCheck={false} required />
      <button type="submit">Activate</button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
