/** Returns a shell command that sends a signed sale to a connection of an own shop. */
export function customMessage(address: string): string {
  return `secret=whsec_…   # the signing secret of the connection
id="msg_$(date +%s)"; at=$(date +%s)
checkout=$(openssl rand -hex 16)   # of the page to which you send the buyer
body='{"type":"sale.completed","at":"'$(date -u +%FT%TZ)'","sale":{"id":"order-1001","checkout_id":"'$checkout'",
"buyer":{"id":"customer-7","name":"Ada Lovelace","email":"ada@example.com"},
"items":[{"id":"pro","quantity":1}]}}'
key=$(printf %s "\${secret#whsec_}" | base64 -d | xxd -p -c 256)
signature=$(printf '%s.%s.%s' "$id" "$at" "$body" \\
  | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
curl ${address} -H 'content-type: application/json' \\
  -H "webhook-id: $id" -H "webhook-timestamp: $at" -H "webhook-signature: v1,$signature" \\
  --data-binary "$body"`;
}
