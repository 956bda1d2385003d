// Calls the tools named on the command line on the MCP server (MCP_URL, API_KEY), with the Go SDK and a nil map as
// arguments. Prints each result as one line of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type keyTransport struct{}

func (keyTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	return http.DefaultTransport.RoundTrip(request)
}

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "waymark-e2e", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:   os.Getenv("MCP_URL"),
		HTTPClient: &http.Client{Transport: keyTransport{}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, tool := range os.Args[1:] {
		var none map[string]any
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: none})
		if err != nil {
			log.Fatal(err)
		}
		line, err := json.Marshal(result)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(line))
	}
}
