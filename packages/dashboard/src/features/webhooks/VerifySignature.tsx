import { List, Stack, Tabs, Text } from '@mantine/core';
import { CodeBlock } from '../../components/CodeBlock.tsx';
import { Section } from '../../components/Section.tsx';

const typescript = `import { verifyWebhook } from '@licensing/sdk';

export async function handle(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(await request.text(), request.headers, process.env.WEBHOOK_SECRET);
    if (event.type === 'license.created') {
      console.log(event.data.key, event.data.holder.email);
    }
    return new Response(null, { status: 204 });
  } catch {
    return new Response(null, { status: 400 });
  }
}`;

const python = `import os

from licensing_sdk import LicensingError, verify_webhook


def handle_webhook(body: bytes, headers: "dict[str, str]") -> int:
    try:
        event = verify_webhook(body, headers, os.environ["WEBHOOK_SECRET"])
    except LicensingError:
        return 400
    if event["type"] == "license.created":
        print("A license was created:", event["data"]["id"])
    return 204`;

const shell = `# The signed text is "<webhook-id>.<webhook-timestamp>.<raw body>".
# The key is the base64 text after "whsec_".
key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | base64 -d | xxd -p -c 256)
printf '%s.%s.%s' "$WEBHOOK_ID" "$WEBHOOK_TIMESTAMP" "$(cat body.json)" \\
  | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64
# One of the signatures in webhook-signature is "v1," and this text.`;

const snippets = [
  { value: 'typescript', label: 'TypeScript', code: typescript },
  { value: 'python', label: 'Python', code: python },
  { value: 'shell', label: 'Without an SDK', code: shell },
] as const;

/** How a server verifies that a request comes from this service. */
export function VerifySignature() {
  return (
    <Section
      title="Verify signatures"
      description="Anyone can send a request to your URL. The signature proves that this service sent the request, and when. Messages follow Standard Webhooks, so you can also verify them with any library for that specification."
    >
      <Tabs defaultValue="typescript">
        <Tabs.List aria-label="Language">
          {snippets.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ value, label, code }) => (
          <Tabs.Panel key={value} value={value} pt="md">
            <CodeBlock code={code} label={`${label} code`} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Stack gap={4}>
        <Text fw={600}>Best practices</Text>
        <List size="md" spacing={4}>
          <List.Item>Verify the raw body, before any parser changes it.</List.Item>
          <List.Item>
            Deliveries can repeat and arrive in any order. Store the <code>id</code> of each event, and handle each
            event once.
          </List.Item>
          <List.Item>Respond immediately with a status of 200 to 299, and do slow work afterwards.</List.Item>
          <List.Item>
            When you replace a secret, verify with both secrets. For 24 hours, deliveries are signed with both.
          </List.Item>
        </List>
      </Stack>
    </Section>
  );
}
