npm init --yes >/dev/null && npm pkg set type=module
npm install openapi-fetch@0.17.0
npm install --save-dev openapi-typescript@7.13.0
npx openapi-typescript "$BASE/openapi.json" --output api.d.ts
