#!/usr/bin/env bash
# Fills the embedded gateway with 150 objects, each by a call of the API, as they pile up on a gateway that is kept by hand.
# Needs curl. Usage: by-hand.sh STATE-FILE
set -euo pipefail
state=${1:?name the file that keeps the gateway}

coproc GATEWAY { exec gwconf gateway --port 0 --state "$state" 2> /dev/null; }
gateway=$GATEWAY_PID
trap 'kill "$gateway"; wait "$gateway"' EXIT
read -r first <&"${GATEWAY[0]}"
url=$(sed -E 's/.* at (http[^ ]*) .*/\1/' <<< "$first")
made=0
calls=()
declare -A kinds=(
  [virtual-cluster]=VirtualCluster [alias-topic]=AliasTopic [concentration-rule]=ConcentrationRule
  [service-account]=GatewayServiceAccount [group]=GatewayGroup [interceptor]=Interceptor
)

put() { # COLLECTION METADATA SPEC
  calls+=(
    --next --silent --show-error --fail --output /dev/null --user admin:conduktor --request PUT
    --header 'Content-Type: application/json'
    --data "{\"apiVersion\":\"gateway/v2\",\"kind\":\"${kinds[$1]}\",\"metadata\":$2,\"spec\":$3}"
    "$url/gateway/v2/$1"
  )
  made=$((made + 1))
}

interceptor() { # NAME SCOPE CLASS PRIORITY CONFIG
  put interceptor "{\"name\":\"$1\",\"scope\":$2}" \
    "{\"pluginClass\":\"io.conduktor.gateway.interceptor.$3\",\"priority\":$4,\"config\":$5}"
}

for team in payments logistics analytics; do
  put virtual-cluster "{\"name\":\"$team\"}" \
    "{\"aclEnabled\":true,\"aclMode\":\"KAFKA_API\",\"superUsers\":[\"$team-admin\"]}"
  in="\"vCluster\":\"$team\""

  for topic in orders refunds invoices ledger balances shipments parcels routes customers sessions clicks; do
    put alias-topic "{\"name\":\"$topic\",$in}" "{\"physicalName\":\"$team.$topic\"}"
    put alias-topic "{\"name\":\"$topic-dlq\",$in}" "{\"physicalName\":\"$team.$topic.dlq\"}"
  done

  for app in admin api worker batch reports connect; do
    put service-account "{\"name\":\"$team-$app\",$in}" '{"type":"LOCAL"}'
    put service-account "{\"name\":\"$team-$app-sso\",$in}" \
      "{\"type\":\"EXTERNAL\",\"externalNames\":[\"CN=$app,OU=$team\"]}"
  done

  for rule in events changelogs snapshots; do
    put concentration-rule "{\"name\":\"$rule\",$in}" \
      "{\"pattern\":\"$rule-.*\",\"physicalTopics\":{\"delete\":\"$team.$rule\"},\"autoManaged\":true}"
  done

  all="{\"vCluster\":\"$team\"}"
  interceptor partitions "$all" safeguard.CreateTopicPolicyPlugin 10 \
    '{"topic":".*","numPartition":{"min":3,"max":12,"action":"BLOCK"}}'
  interceptor acks "$all" safeguard.ProducePolicyPlugin 20 '{"topic":".*","acks":{"value":[-1],"action":"BLOCK"}}'
  interceptor read-only-ledger "$all" safeguard.ReadOnlyTopicPolicyPlugin 30 '{"topic":"ledger.*","action":"BLOCK"}'
  interceptor acks "{\"vCluster\":\"$team\",\"username\":\"$team-batch\"}" safeguard.ProducePolicyPlugin 20 \
    '{"topic":".*","acks":{"value":[0,1,-1],"action":"INFO"}}'
  interceptor encrypt-customers "$all" EncryptPlugin 100 "{\"topic\":\"customers\",\"kmsConfig\":{\"vault\":{\"uri\":\"https://vault.example.com:8200\",\"token\":\"hand-made-$team-token\"}},\"recordValue\":{\"fields\":[{\"fieldName\":\"iban\",\"keySecretId\":\"vault-kms://vault.example.com:8200/transit/keys/$team\",\"algorithm\":\"AES128_GCM\"}]}}"
done

for topic in audit metrics heartbeats exports imports configs schemas alerts billing catalog; do
  put alias-topic "{\"name\":\"$topic\"}" "{\"physicalName\":\"platform.$topic\"}"
done
for app in grafana mirror backup scanner kafbat cruise; do
  put service-account "{\"name\":\"platform-$app\"}" '{"type":"LOCAL"}'
done
for team in payments logistics analytics; do
  put group "{\"name\":\"$team-apps\"}" \
    "{\"members\":[{\"name\":\"$team-api\",\"vCluster\":\"$team\"},{\"name\":\"$team-worker\",\"vCluster\":\"$team\"}]}"
done
interceptor audit-everything '{"vCluster":null,"group":null,"username":null}' AuditPlugin 1 '{"topic":".*"}'
interceptor no-retention-changes '{"vCluster":"passthrough"}' safeguard.AlterTopicConfigPolicyPlugin 5 \
  '{"topic":".*","retentionMs":{"min":3600000,"action":"BLOCK"}}'

curl --fail-early "${calls[@]:1}" # one process for all calls
echo "$made objects, each by one call of the API"
